"""check_pages.py SHARE TOOL...: every option that --help shows is in the tool's man page and in each completion."""
import os
import re
import subprocess
import sys


def pages(share, tool):
    """For each page what an option NAME looks like there."""
    return {
        f"man/man1/{tool}.1": lambda name: r"^\.B (\\-){1,2}" + name.replace("-", r"\\-") + r"\b",
        f"bash-completion/completions/{tool}": lambda name: rf"-W '.*(?<![\w-])-{{1,2}}{name}(?![\w-])",
        f"zsh/_{tool}": lambda name: rf"^  '\*?-{{1,2}}{name}[=+\[-]",
        f"fish/vendor_completions.d/{tool}.fish": lambda name: rf" -[slo] {name} ",
    }


def main(share, *programs):
    missing = 0
    for program in programs:
        tool = os.path.basename(program)
        text = subprocess.run([program, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
        names = re.findall(r"^  -{1,2}([A-Za-z][A-Za-z-]*)", text, re.M)
        names.remove("help-list")  # LLVM shows it in --help alone
        assert len(names) > 3 and "version" in names, names
        for page, pattern in pages(share, tool).items():
            with open(os.path.join(share, page)) as file:
                content = file.read()
            for name in names:
                if not re.search(pattern(name), content, re.M):
                    print(f"{page}: --{name} is missing", file=sys.stderr)
                    missing += 1
    sys.exit(missing > 0)


main(*sys.argv[1:])
