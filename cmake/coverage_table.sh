#!/usr/bin/env bash
# Which part of the lines and branches of each folder of src/ the tests in build-coverage/ ran, as a table.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
gcovr --root "$root" --filter "$root/src/" --exclude "$root/src/reproduce/" --exclude-throw-branches --json-summary - \
  "$root/build-coverage" | python3 -c '
import collections, json, sys
folders = collections.defaultdict(lambda: [0, 0, 0, 0])
for file in json.load(sys.stdin)["files"]:
    name = "/".join(file["filename"].split("/")[:2])
    for key in (name, "all"):
        for i, count in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
            folders[key][i] += file[count]
print("| folder | lines | covered | branches covered |\n|---|---|---|---|")
for name, (lines, all_lines, branches, all_branches) in sorted(folders.items(), key=lambda each: (each[0] == "all", each[0])):
    print(f"| `{name}` | {all_lines} | {100 * lines / max(all_lines, 1):.1f} % | {100 * branches / max(all_branches, 1):.1f} % |")
'
