"""The process that times: begun anew where it ended, lost the GPU's context, or gave no answer in time."""
import multiprocessing

import measure
from device import Missing


class Child:
    def __init__(self, options):
        self.options, self.process, self.has_answered = options, None, False

    def start(self):
        context = multiprocessing.get_context("spawn")  # a driver does not survive a fork
        self.pipe, end = context.Pipe()
        # No daemon, as torch.compile begins processes of its own.
        self.process = context.Process(target=measure.serve, args=(end, self.options))
        self.process.start()
        end.close()

    def ask(self, seconds, *request):
        if not self.process:
            self.start()
        try:
            self.pipe.send(request)
            answer = self.pipe.recv() if self.pipe.poll(seconds) else {"missing": f"no answer in {seconds:.0f} s", "lost": True}
        except (EOFError, OSError):
            self.process.join()
            answer = {"missing": f"the process that timed it ended with {self.process.exitcode}", "lost": True}
        if answer["lost"]:
            self.stop()
        if "fatal" in answer and not self.has_answered:
            raise Missing(answer["missing"])
        self.has_answered = True
        return answer

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None
