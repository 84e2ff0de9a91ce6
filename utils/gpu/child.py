"""The process that times: begun anew where it ended, lost the GPU's context, or gave no answer in time."""
import multiprocessing

import measure
from device import Missing


class Child:
    def __init__(self, options):
        self.options, self.process = options, None

    def start(self):
        context = multiprocessing.get_context("spawn")  # a driver does not survive a fork
        self.pipe, end = context.Pipe()
        self.process = context.Process(target=measure.serve, args=(end, self.options), daemon=True)
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
        if "fatal" in answer:
            raise Missing(answer["fatal"])
        if answer["lost"]:
            self.stop()
        return answer

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.join()
            self.pipe.close()
            self.process = None
