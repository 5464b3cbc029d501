// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// A recording from a table of numbers. The option `columns` says what is what, in terms parted by commas:
//
//     t=frame/240, x=px*0.9mm, y=-py*0.9mm, theta=angle*deg      name, factors, units; a number behind + or - is added
//     t=stamp*ns, x="Position (mm) X"*mm                         names with operators in quotes
//     q=xyzw(a,b,c,d), q=wxyz(a,b,c,d)                           a quaternion in the order of its columns
//     q=euler-zyx(yaw,pitch,roll)*deg                            intrinsic angles, in the order of the letters
//     q=matrix(r11,r12,r13,r21,...,r33)                          a rotation matrix, row by row
//     box.x=x1, arm.angle=enc/4096*turn, u=volts                 columns of bodies, joints, motors
//
// Without it columns are found by their names (column_names.h), with the units in the names; others are left out. Every
// term is in the notes. A row with the time of the row before is left out, and time starts at 0.
#pragma once

#include "recording/tables/csv_table.h"
#include "ricochet/import.h"

namespace ricochet {

/// Throws InputError for terms that cannot be understood, columns that are not there, and when no column is the time.
ImportedRecording ConvertTable(const NumberTable& table, const ImportOptions& options);

}  // namespace ricochet
