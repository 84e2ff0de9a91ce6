"""What shells complete, made of a tool's table of options: see option_pages.py."""
import re


def flag(option):
    """-o, -MD, --emit: short names and those that compilers share have one dash."""
    name = option["name"]
    return ("-" if len(name) == 1 or name.isupper() else "--") + name


def one_line(text):
    return " ".join(text.split())


def is_told(option):
    """Whether the option's own line names all words that it takes."""
    line = re.split(r"[^\w-]+", option.get("value", "") + " " + option["help"])
    return all(word["name"] in line for word in option.get("values", []))


def has_help(option):
    return any(word["help"] for word in option.get("values", []))


def function_name(tool):
    return "_" + tool.replace("-", "_")


def bash(table):
    """Works with and without bash-completion; readline may or may not split words at '='."""
    values, names = [], []
    for option in table["options"]:
        takes = "value" in option and not option.get("optional")
        names.append(flag(option) + ("=" if takes and flag(option).startswith("--") else ""))
        words = " ".join(word["name"] for word in option.get("values", []))
        if words:
            values.append(f"    {flag(option)}) words='{words}' ;;")
        elif "path" in option:
            values.append(f"    {flag(option)}) kind={'-d' if option['path'] == 'folder' else '-f'} ;;")
        elif "value" in option and not option.get("optional"):
            values.append(f"    {flag(option)}) kind=none ;;")
    return f"""# bash completion for {table['tool']}, made by utils/option_pages.py
{function_name(table['tool'])}() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} front= words= kind=
  COMPREPLY=()
  if [[ $cur == --*=* ]]; then
    prev=${{cur%%=*}} front=${{cur%%=*}}= cur=${{cur#*=}}
  elif [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  case $prev in
{chr(10).join(values)}
  esac
  [[ $kind == none ]] && return
  if [[ -n $words ]]; then
    [[ $cur == *,* ]] && front=$front${{cur%,*}},
    COMPREPLY=($(compgen -P "$front" -W "$words" -- "${{cur##*,}}"))
  elif [[ -n $kind ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$front" "$kind" -- "$cur")
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W '{' '.join(names)}' -- "$cur"))
    [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace 2>/dev/null
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
}}
complete -F {function_name(table['tool'])} {table['tool']}
"""


def zsh_action(option):
    if "values" in option and has_help(option):
        words = " ".join(word["name"] + '\\:"' + word["help"].replace('"', "") + '"' for word in option["values"])
        return f"(({words}))"
    if "values" in option and option.get("list"):
        return "_sequence compadd - " + " ".join(word["name"] for word in option["values"])
    if "values" in option:
        return "(" + " ".join(word["name"] for word in option["values"]) + ")"
    return {"file": "_files", "folder": "_files -/"}.get(option.get("path"), "")


def escape(text):
    """Text inside of a specification of _arguments."""
    return re.sub(r"([\[\]\\:])", r"\\\1", text)


def zsh_option(option):
    spec = ("*" if option.get("repeated") else "") + flag(option)
    text = f"[{escape(one_line(option['help']))}]"
    if "value" not in option:
        return spec + text
    value = f"{escape(option['value'])}:{zsh_action(option)}"
    if option.get("optional"):
        return f"{spec}=-{text}::{value}"
    # The value stands in the same word or in the next one.
    return spec + ("+" if option.get("prefix") else "=" if flag(option).startswith("--") else "") + f"{text}:{value}"


def zsh(table):
    lines = [f"#compdef {table['tool']}", "# zsh completion, made by utils/option_pages.py", "_arguments \\"]
    lines += ["  '" + zsh_option(option).replace("'", "'\\''") + "' \\" for option in table["options"]]
    return "\n".join(lines + ["  '*:file:_files'", ""])


def fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(table):
    lines = ["# fish completion, made by utils/option_pages.py"]
    for option in table["options"]:
        name = option["name"]
        kind = "-s" if len(name) == 1 else "-o" if name.isupper() else "-l"
        line = f"complete -c {table['tool']} {kind} {name} -d {fish_quote(one_line(option['help']))}"
        if "value" in option and not option.get("optional"):
            line += " -r" if "path" in option else " -x"
        if option.get("path") == "folder":
            line += " -a '(__fish_complete_directories)'"
        # fish reads the list once more, as words of its own.
        words = [word["name"] + (f"\\t{fish_quote(word['help'])}" if word["help"] else "")
                 for word in option.get("values", [])]
        lines.append(line + (f" -a {fish_quote(' '.join(words))}" if words else ""))
    return "\n".join(lines) + "\n"
