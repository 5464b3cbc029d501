#!/usr/bin/env python3
"""Puts what the program prints today below the commands of README.md and docs/*.md.

Usage: tests/cli/update_documentation.py [PAGE...]       (all pages by default; build/ricochet must be there)

Outputs that differ only in run times stay. Read the difference before you commit it: documentation_test.cc compares the
same outputs, and this script makes it pass whatever the program prints.
"""
import glob
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROMPT = re.compile(r"    \$ (?:ricochet|\./run) (.*)")


def comparable(text):
    text = re.sub(r"([,:] |in )[0-9.]+(e-[0-9]+)? s\b", r"\1# s", text)
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")


def words(command, folder):
    """Words as a shell splits them; wildcards match files below the folder."""
    out = []
    for word in shlex.split(command, posix=False):
        if word[0] in "\"'":
            out.append(word[1:-1])
            continue
        word = word.replace('"', "")
        found = sorted(glob.glob(os.path.join(folder, word))) if re.search(r"[*?[]", word) else []
        out += [os.path.relpath(each, folder) for each in found] or [word]
    return out


def save_files(lines, folder):
    """Writes the block before "Save it as `NAME`" to that file, as a reader does."""
    block, inside = [], False
    for line in lines:
        if line.startswith("```"):
            inside = not inside
            if inside:
                block = []
        elif inside:
            block.append(line)
        elif match := re.match(r"Save it as `([^`]+)`", line):
            pathlib.Path(folder, match[1]).write_text("\n".join(block) + "\n")


def update(page):
    lines = page.read_text().split("\n")
    out, at, changed = [], 0, 0
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(ROOT / "examples", os.path.join(folder, "examples"))
        save_files(lines, folder)
        while at < len(lines):
            out.append(lines[at])
            match = PROMPT.fullmatch(lines[at])
            at += 1
            if not match:
                continue
            command = match[1]
            while command.endswith("\\"):
                command = command[:-1] + lines[at].strip()
                out.append(lines[at])
                at += 1
            end = at
            while end < len(lines) and (lines[end] == "" or lines[end].startswith("    ")) and not PROMPT.fullmatch(lines[end]):
                end += 1
            while end > at and lines[end - 1] == "":
                end -= 1
            run = subprocess.run([ROOT / "build" / "ricochet", *words(command, folder)], cwd=folder, text=True,
                                 stdin=subprocess.DEVNULL, capture_output=True, check=False)
            printed = (run.stdout + run.stderr).rstrip("\n").split("\n")
            shown = [line[4:] for line in lines[at:end]]
            if comparable("\n".join(shown)) != comparable("\n".join(printed)):
                changed += 1
                shown = [line.rstrip() for line in printed]
            out += ["    " + line if line else "" for line in shown if line or len(shown) > 1]
            at = end
    if changed:
        page.write_text("\n".join(out))
    print(f"{page.relative_to(ROOT)}: {changed} outputs changed")


for name in sys.argv[1:] or ["README.md", *sorted(glob.glob("docs/*.md", root_dir=ROOT))]:
    update(ROOT / name)
