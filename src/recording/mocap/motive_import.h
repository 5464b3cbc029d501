// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// OptiTrack Motive CSV, formats 1.2 to 1.25 and what later versions keep of them. Format 1.21 leaves the second cell of
// the header rows empty; they are then type, name, ID and component in this order.
//
//     Format Version,1.23,Take Name,...,Rotation Type,Quaternion,Length Units,Meters,Coordinate Space,Global
//                                                       (empty row; may be missing)
//     ,Type,Rigid Body,...            rows found by their second cell
//     ,Name,box,...
//     ,ID,"9E20...",...
//     ,Parent,...                     (1.25)
//     ,,Rotation,...,Position,...,Mean Marker Error     component row: the one above the axis row
//     Frame,Time (Seconds),X,Y,Z,W,X,Y,Z,               axis row; TimeCode may be its third cell
//     0,0,...
//
// Columns are grouped by (type, name, ID) and found by component and axis label, never by position. Rigid bodies and
// bones give poses; measured markers (`Marker`) are kept, labeled or not, expected ones (`Rigid Body Marker`) are not.
// Rotations are quaternions X, Y, Z, W or Euler angles in degrees in the order stated. The up axis is not in the file:
// y by convention.
//
// A file exported without its header has frame, time and values only; `columns` then names the values in order, of qx
// qy qz qw x y z, `-` for one to leave out.
#pragma once

#include <string>
#include <string_view>

#include "recording/mocap/mocap_take.h"

namespace ricochet {

/// Throws InputError with line and column of what cannot be used.
MocapTake ParseMotive(std::string_view text, const std::string& name_in_messages, const ImportOptions& options = {});

}  // namespace ricochet
