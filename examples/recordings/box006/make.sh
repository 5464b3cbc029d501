#!/usr/bin/env bash
# Makes the recordings of this folder: tosses of examples/box006_toss.yaml with steps of 10 us, seen at 360 Hz with noise
# of 0.3 mm and 0.1 degrees. Usage: make.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")"
toss=0
# position [m], orientation, velocity [m/s], angular velocity [rad/s], duration [s]
while read -r x y z qw qx qy qz vx vy vz wx wy wz duration; do
  set=()
  for entry in "position $x $y $z" "orientation $qw $qx $qy $qz" "velocity $vx $vy $vz" "angular_velocity $wx $wy $wz"; do
    read -r name values <<<"$entry"
    index=0
    for value in $values; do
      set+=(--set "initial.box.$name[$index]=$value")
      index=$((index + 1))
    done
  done
  "$1" simulate ../../box006_toss.yaml "${set[@]}" --step 1e-5 --duration "$duration" --rate 360 \
    --noise position=3e-4,angle=1.745e-3 --seed $((100 + toss)) -o full.csv >/dev/null
  awk -F, -v OFS=, -v CONVFMT=%.9g 'NR > 1 { for (i = 1; i <= NF; ++i) $i += 0 } 1' full.csv >"$(printf 'toss_%02d.csv' $toss)"
  toss=$((toss + 1))
done <<'STARTS'
-0.0002 0.0001 0.1738 0.9978 0.052 0.0119 -0.0391 2.871 -0.216 0.042 0.11 0.1 0.85 0.844
0.0002 0 0.1305 0.992 -0.0176 -0.0636 0.1072 2.882 0.271 0.137 -0.9 -0.7 0.24 0.861
0.0001 0 0.1391 0.9795 0.0309 -0.0299 -0.197 2.391 -0.155 -0.093 0.05 0.13 -1.22 0.708
0 0 0.1839 0.9862 0.0771 0.0199 -0.1454 2.451 -0.299 0.154 -0.18 -0.56 0.49 0.758
-0.0001 -0.0002 0.1462 0.9906 0.0761 -0.0438 -0.1053 2.623 -0.032 0.001 0.77 -0.76 0.83 0.781
0 0.0001 0.1665 0.9963 -0.0377 0.029 0.0714 2.345 -0.146 -0.063 0.21 -0.11 1.39 0.700
-0.0001 0.0001 0.1405 0.9902 -0.0242 0.0345 0.1334 2.861 -0.077 0.192 0.8 1.03 0.84 0.856
-0.0002 0 0.1372 0.9966 0.0352 0.0629 -0.0408 2.845 0.166 0.087 0.26 0.92 -0.74 0.842
0.0001 -0.0001 0.1715 0.9876 -0.0762 -0.032 -0.1332 2.591 0.249 0.02 0.82 -0.96 0.02 0.772
-0.0001 0.0001 0.1514 0.9764 0.0159 0.0627 0.2061 2.687 0.171 0.161 0.11 0.21 -0.92 0.811
-0.0001 0 0.1743 0.9975 0.0594 0.0386 0.0027 2.845 0.11 -0.016 1.07 0.46 0.2 0.833
0.0001 -0.0001 0.1335 0.982 -0.0074 -0.0849 0.1686 2.726 0.142 0.17 -0.79 0.22 0 0.825
STARTS
rm full.csv
