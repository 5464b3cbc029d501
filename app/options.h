// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// Options that several commands share.
#pragma once

#include <string>
#include <vector>

#include "ricochet/scene.h"

namespace ricochet::app {

/// `--set PATH=VALUE`, in order. Throws InputError.
void ApplySettings(Scene& scene, const std::vector<std::string>& settings);

/// `--noise position=S,angle=S`; empty text leaves both at 0. Throws InputError.
void ParseNoise(const std::string& text, double& position, double& angle);

}  // namespace ricochet::app
