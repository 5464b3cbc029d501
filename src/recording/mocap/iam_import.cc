// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
#include "recording/mocap/iam_import.h"

#include <fmt/format.h>

#include "math/dense.h"
#include "ricochet/error.h"

#ifndef RICOCHET_WITH_HDF5

namespace ricochet {
IamArchive ReadIam(const std::string& file, const IamOptions&) {
  throw InputError({file, 0, 0}, "", "this program was built without HDF5.", "Install libhdf5-dev and build it again.");
}
}  // namespace ricochet

#else

#include <hdf5.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "core/text.h"
#include "math/se3.h"
#include "recording/mocap/mocap_take.h"
#include "recording/recording_health.h"
#include "ricochet/scene.h"

namespace ricochet {
namespace {

constexpr hsize_t kMostNumbers = hsize_t{1} << 26;  // in one dataset; more is damage
constexpr hsize_t kNumbersPerByte = 130;            // that compression can reach: 1032 bytes from one
const char* const kSurfaces[] = {"GroundPlane001", "ConveyorPart001", "ConveyorPart002", "ConveyorPart006", "CS_200"};

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

struct Table {
  std::vector<hsize_t> dimensions;
  std::vector<double> values;
};

struct IamObject {
  std::vector<Eigen::Vector3d> vertices;
  Eigen::Vector3d dimensions = Eigen::Vector3d::Zero();
  double mass = 0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

class IamReader {
 public:
  IamReader(std::string file, const IamOptions& options)
      : path_(std::move(file)), options_(options), file_(Open(path_)) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path_, error);
    if (!error) most_numbers_ = std::min<hsize_t>(kMostNumbers, kNumbersPerByte * bytes);
  }

  IamArchive Read() {
    const std::vector<std::string> groups = RecordingGroups();
    ChooseObject(groups);
    Eigen::Vector3d gravity = Eigen::Vector3d::Zero();
    for (const std::string& group : groups) {
      const std::string base = "/" + group;
      if (!Exists(TransformsOf(base, result_.object))) {
        result_.notes.push_back(fmt::format("{}: without {}, skipped", group, result_.object));
        continue;
      }
      if (!object_ && Exists(base + "/OBJECT/" + result_.object))
        object_ = ReadObject(base + "/OBJECT/" + result_.object);
      gravity += ReadRecordingGroup(group);
    }
    if (result_.recordings.empty())
      Fail("POSTPROCESSING/" + result_.object, "no recording has transforms of this object.",
           "Choose another with option `body`.");
    if (!object_)
      Fail("OBJECT/" + result_.object, "no recording describes this object.",
           "Its mass, inertia and vertices are needed for a scene.");
    WriteSceneText(gravity.normalized() * 9.81);
    return std::move(result_);
  }

 private:
  [[noreturn]] void Fail(const std::string& field, const std::string& problem, const std::string& remedy) const {
    throw InputError({path_, 0, 0}, field, problem, remedy);
  }

  static Handle Open(const std::string& path) {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    if (!std::ifstream(path).good())
      throw InputError({path, 0, 0}, "", "there is no such file.", "Check the name and the folder.");
    const htri_t known = H5Fis_hdf5(path.c_str());
    if (known <= 0)
      throw InputError({path, 0, 0}, "", "is not an HDF5 file.", "Give an archive (.h5) of the database.");
    const hid_t id = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (id < 0)
      throw InputError({path, 0, 0}, "", "HDF5 cannot open it: it is damaged or truncated.", "Copy it again.");
    return {id, H5Fclose};
  }

  /// Whether every link on the path is there.
  bool Exists(const std::string& path) const {
    for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
      if (H5Lexists(file_.get(), path.substr(0, at).c_str(), H5P_DEFAULT) <= 0) return false;
      if (at == std::string::npos) return H5Oexists_by_name(file_.get(), path.c_str(), H5P_DEFAULT) > 0;
    }
  }

  std::vector<std::string> Children(const std::string& path) const {
    std::vector<std::string> names;
    const Handle group(H5Gopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Gclose);
    if (!group) return names;
    H5G_info_t info{};
    if (H5Gget_info(group.get(), &info) < 0) return names;
    for (hsize_t i = 0; i < std::min<hsize_t>(info.nlinks, 100000); ++i) {
      char name[256] = "";
      const ssize_t length =
          H5Lget_name_by_idx(group.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
      if (length > 0 && length < static_cast<ssize_t>(sizeof name)) names.emplace_back(name);
    }
    return names;
  }

  static std::string TransformsOf(const std::string& base, const std::string& name) {
    return base + "/SENSOR_MEASUREMENT/Mocap/POSTPROCESSING/" + name + "/transforms";
  }

  std::vector<std::string> RecordingGroups() const {
    std::vector<std::string> groups;
    for (const std::string& name : Children("/"))
      if (name.starts_with("Rec")) groups.push_back(name);
    if (groups.empty()) Fail("/Rec_...", "has no group that begins with `Rec`.", "Give an archive of recordings.");
    return groups;
  }

  void ChooseObject(const std::vector<std::string>& groups) {
    std::set<std::string> described, tracked;
    for (const std::string& group : groups) {
      for (const std::string& name : Children("/" + group + "/OBJECT")) described.insert(name);
      for (const std::string& name : Children("/" + group + "/SENSOR_MEASUREMENT/Mocap/POSTPROCESSING"))
        tracked.insert(name);
    }
    std::vector<std::string> both;
    for (const std::string& name : described)
      if (tracked.contains(name)) both.push_back(name);
    if (!options_.body.empty()) {
      if (!described.contains(options_.body) && !tracked.contains(options_.body))
        Fail("OBJECT/" + Printable(options_.body), "no recording has this object.",
             SuggestName(options_.body, std::vector<std::string>(described.begin(), described.end())));
      result_.object = options_.body;
    } else if (both.size() == 1) {
      result_.object = both[0];
    } else if (both.empty()) {
      Fail("OBJECT", "no object is both described and tracked.", "Name it with option `body`.");
    } else {
      Fail("OBJECT", fmt::format("there are {}.", JoinList(both)), "Choose one with option `body`.");
    }
    result_.notes.push_back("object: " + result_.object);
  }

  Table ReadTable(const std::string& path) const {
    const Handle data(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data) Fail(path, "is not a dataset, or is damaged.", "Copy the archive again.");
    const Handle type(H5Dget_type(data.get()), H5Tclose);
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_FLOAT && kind != H5T_INTEGER)
      Fail(path, "does not hold numbers.", "The layout differs from the documented one.");
    const Handle space(H5Dget_space(data.get()), H5Sclose);
    Table table;
    const int rank = H5Sget_simple_extent_ndims(space.get());
    if (rank < 0 || rank > 8) Fail(path, "its shape is damaged.", "Copy the archive again.");
    table.dimensions.resize(static_cast<std::size_t>(rank));
    if (rank > 0 && H5Sget_simple_extent_dims(space.get(), table.dimensions.data(), nullptr) != rank)
      Fail(path, "its shape is damaged.", "Copy the archive again.");
    hsize_t count = 1;
    for (const hsize_t d : table.dimensions) {
      if (d != 0 && count > most_numbers_ / d)
        Fail(path, "states an impossible number of values.", "Copy the archive again.");
      count *= d;
    }
    table.values.assign(count, 0);
    ReadInto(path, data, space, H5T_NATIVE_DOUBLE, table.values);
    return table;
  }

  /// Reads all values. The space in memory states how many there is room for, so that a damaged space in the file
  /// cannot write beyond it.
  void ReadInto(const std::string& path, const Handle& data, const Handle& space, hid_t type,
                std::vector<double>& values) const {
    if (values.empty()) return;
    const hsize_t count = values.size();
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    if (!memory || H5Sget_simple_extent_npoints(space.get()) != static_cast<hssize_t>(count) ||
        H5Dread(data.get(), type, memory.get(), H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      Fail(path, "cannot be read: it is damaged.", "Copy the archive again.");
  }

  /// An attribute as text, whatever its type; blanks and underscores in its name are alike.
  std::optional<std::string> Attribute(const std::string& path, std::string name) const {
    const Handle object(H5Oopen(file_.get(), path.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object) return std::nullopt;
    if (H5Aexists(object.get(), name.c_str()) <= 0) std::replace(name.begin(), name.end(), '_', ' ');
    if (H5Aexists(object.get(), name.c_str()) <= 0) return std::nullopt;
    const Handle attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute.get()), H5Tclose);
    const Handle space(H5Aget_space(attribute.get()), H5Sclose);
    if (!attribute || !type || H5Sget_simple_extent_npoints(space.get()) != 1) return std::nullopt;
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind == H5T_FLOAT || kind == H5T_INTEGER) {
      double value = 0;
      if (H5Aread(attribute.get(), H5T_NATIVE_DOUBLE, &value) < 0) return std::nullopt;
      return FormatDouble(value);
    }
    if (kind != H5T_STRING) return std::nullopt;
    if (H5Tis_variable_str(type.get()) > 0) {
      char* text = nullptr;
      const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose);
      H5Tset_size(memory.get(), H5T_VARIABLE);
      H5Tset_cset(memory.get(), H5Tget_cset(type.get()));
      if (H5Aread(attribute.get(), memory.get(), &text) < 0 || text == nullptr) return std::nullopt;
      std::string result(text);
      H5free_memory(text);
      return result;
    }
    const std::size_t size = H5Tget_size(type.get());
    if (size > 65536) return std::nullopt;
    std::string result(size, '\0');
    if (H5Aread(attribute.get(), type.get(), result.data()) < 0) return std::nullopt;
    result.resize(result.find_last_not_of(std::string(" \0", 2)) + 1);
    return result;
  }

  IamObject ReadObject(const std::string& path) {
    IamObject object;
    for (const char* part : {"vertices", "inertia"})
      if (!Exists(path + "/" + part))
        Fail(path + "/" + part, "is missing.", "A scene needs vertices, mass and inertia.");
    const Table vertices = ReadTable(path + "/vertices");
    if (vertices.dimensions.size() != 2 || vertices.dimensions[1] != 3 || vertices.dimensions[0] < 4 ||
        vertices.dimensions[0] > 1000)
      Fail(path + "/vertices", "its shape is not n x 3 with 4 to 1000 vertices.",
           "The layout differs from the documented one.");
    for (std::size_t i = 0; i + 2 < vertices.values.size(); i += 3)
      object.vertices.emplace_back(vertices.values[i], vertices.values[i + 1], vertices.values[i + 2]);
    if (Exists(path + "/mass")) {
      const Table mass = ReadTable(path + "/mass");
      if (mass.values.size() == 1) object.mass = mass.values[0];
    } else if (const auto text = Attribute(path, "mass")) {
      object.mass = std::atof(text->c_str());
    }
    if (!(object.mass > 0) || !std::isfinite(object.mass))
      Fail(path + "/mass", fmt::format("{} kg is not a mass.", object.mass), "A mass is one positive number.");
    const Table inertia = ReadTable(path + "/inertia");
    const std::size_t size =
        inertia.dimensions.size() == 2 && inertia.dimensions[0] == inertia.dimensions[1] ? inertia.dimensions[0] : 0;
    if (size != 6 && size != 3)
      Fail(path + "/inertia", "its shape is neither 6 x 6 nor 3 x 3.", "The layout differs from the documented one.");
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c)
        object.inertia(static_cast<int>(r), static_cast<int>(c)) = inertia.values[(r + size - 3) * size + c + size - 3];
    if (size == 6 && std::abs(inertia.values[0] - object.mass) > 1e-3 * object.mass)
      result_.notes.push_back(
          fmt::format("warning: inertia(1,1) is {} kg, the mass {} kg", inertia.values[0], object.mass));
    if (Exists(path + "/dimensions")) {
      const Table dimensions = ReadTable(path + "/dimensions");
      if (dimensions.values.size() == 3)
        object.dimensions = {dimensions.values[0], dimensions.values[1], dimensions.values[2]};
      for (const Eigen::Vector3d& v : object.vertices)
        if ((v.cwiseAbs() - 0.5 * object.dimensions).cwiseAbs().maxCoeff() > 1e-3) {
          result_.notes.push_back("warning: the vertices are not half the dimensions; the vertices are used");
          object.dimensions.setZero();
          break;
        }
    }
    return object;
  }

  std::vector<SE3<double> > ReadTransforms(const std::string& path) const {
    const Table table = ReadTable(path);
    const auto& d = table.dimensions;
    if (d.size() != 3) Fail(path, fmt::format("has {} axes, not 3.", d.size()), "transforms are 4 x 4 x N.");
    const bool last = d[0] == 4 && d[1] == 4, first = d[1] == 4 && d[2] == 4;
    if (!last && !first)
      Fail(path, fmt::format("is {} x {} x {}.", d[0], d[1], d[2]), "transforms are 4 x 4 x N or N x 4 x 4.");
    const std::size_t frames = last ? d[2] : d[0];
    std::vector<SE3<double> > result;
    for (std::size_t k = 0; k < frames; ++k) {
      Eigen::Matrix4d H;
      for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 4; ++c)
          H(static_cast<int>(r), static_cast<int>(c)) =
              table.values[last ? (r * 4 + c) * frames + k : (k * 4 + r) * 4 + c];
      SE3<double> X;
      const Eigen::Matrix3d R = H.topLeftCorner<3, 3>();
      if (!H.allFinite()) {
        X.p.setConstant(kMissing);
      } else {
        if ((H.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).norm() > 1e-6)
          Fail(path, fmt::format("the last row of frame {} is not 0 0 0 1.", k + 1),
               "The axes of the array are not as documented.");
        if ((R * R.transpose() - Eigen::Matrix3d::Identity()).norm() > 0.05 || R.determinant() < 0)
          Fail(path, fmt::format("frame {} holds no rotation.", k + 1), "The layout differs from the documented one.");
        X.p = H.topRightCorner<3, 1>();
        X.q = QuaternionFromMatrix<double>(R);
      }
      result.push_back(X);
    }
    return result;
  }

  std::vector<double> ReadTimes(const std::string& group, std::size_t frames) {
    const std::string path = "/" + group + "/SENSOR_MEASUREMENT/Mocap/datalog";
    double rate = kMissing;
    if (const auto text = Exists(path) ? Attribute(path, "sample_frequency") : std::nullopt)
      rate = std::atof(text->c_str());
    std::vector<double> time;
    if (Exists(path)) {
      const Handle data(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose);
      const Handle type(data ? H5Dget_type(data.get()) : -1, H5Tclose);
      if (data && type && H5Tget_class(type.get()) == H5T_COMPOUND && H5Tget_member_index(type.get(), "Time(s)") >= 0) {
        const Handle space(H5Dget_space(data.get()), H5Sclose);
        const hssize_t rows = H5Sget_simple_extent_npoints(space.get());
        if (rows < 0 || static_cast<hsize_t>(rows) > most_numbers_)
          Fail(path, "states an impossible number of rows.", "Copy the archive again.");
        const Handle memory(H5Tcreate(H5T_COMPOUND, sizeof(double)), H5Tclose);
        H5Tinsert(memory.get(), "Time(s)", 0, H5T_NATIVE_DOUBLE);
        time.assign(static_cast<std::size_t>(rows), 0);
        ReadInto(path, data, space, memory.get(), time);
      }
    }
    if (time.empty()) {
      if (!(rate > 0))
        Fail(path, "has neither a column Time(s) nor an attribute sample_frequency.",
             "The times of the frames are needed.");
      for (std::size_t k = 0; k < frames; ++k) time.push_back(static_cast<double>(k) / rate);
      result_.notes.push_back(fmt::format("{}: times by sample_frequency, {:g} Hz", group, rate));
      return time;
    }
    if (time.size() != frames)
      Fail(path, fmt::format("has {} rows for {} transforms.", time.size(), frames), "Frames must match one to one.");
    for (std::size_t k = 0; k < time.size(); ++k)
      if (!std::isfinite(time[k]) || (k > 0 && !(time[k] > time[k - 1])))
        Fail(path, fmt::format("Time(s) does not increase in row {}.", k + 1), "Times must increase.");
    const double measured = CheckClock(time).rate;
    if (rate > 0 && std::abs(measured / rate - 1) > 2e-3)
      result_.notes.push_back(
          fmt::format("warning: {}: Time(s) gives {:.5g} Hz, sample_frequency states {:g} Hz; the times are used",
                      group, measured, rate));
    return time;
  }

  /// Adds the recording; returns the direction of gravity in the conveyor's axes.
  Eigen::Vector3d ReadRecordingGroup(const std::string& group) {
    const std::string base = "/" + group;
    const std::vector<SE3<double> > body = ReadTransforms(TransformsOf(base, result_.object));
    if (body.size() < 2)
      Fail(TransformsOf(base, result_.object), "has fewer than two frames.", "Leave the recording out.");
    std::vector<double> time = ReadTimes(group, body.size());

    // Mean pose of the conveyor, or the origin of the motion capture.
    SE3<double> X_MC;
    std::string surface = options_.surface;
    if (surface.empty())
      for (const char* name : kSurfaces)
        if (surface.empty() && Exists(TransformsOf(base, name))) surface = name;
    if (!surface.empty() && !Exists(TransformsOf(base, surface)))
      Fail("POSTPROCESSING/" + Printable(surface), fmt::format("{} does not have it.", group),
           "Name a surface that is tracked, or leave option `surface` out.");
    if (surface.empty()) {
      result_.notes.push_back(
          fmt::format("{}: no surface is tracked; the plane z = 0 of the motion capture is used", group));
    } else {
      Eigen::Vector3d p = Eigen::Vector3d::Zero();
      Eigen::Matrix4d outer = Eigen::Matrix4d::Zero();
      int count = 0;
      for (const SE3<double>& X : ReadTransforms(TransformsOf(base, surface))) {
        if (!X.p.allFinite()) continue;
        p += X.p;
        outer += X.q * X.q.transpose();
        ++count;
      }
      if (count == 0)
        Fail(TransformsOf(base, surface), "is missing in every frame.", "Choose another with option `surface`.");
      X_MC.p = p / count;
      // The mean quaternion is the eigenvector of the largest eigenvalue (Markley 2007).
      X_MC.q = EigenOfSymmetric(outer).vectors.col(3);
      result_.notes.push_back(fmt::format("{}: relative to {}", group, surface));
    }
    const SE3<double> X_CM = X_MC.Inverse();

    Recording raw;
    raw.time = time;
    raw.values.assign(7, std::vector<double>(body.size(), kMissing));
    Recording recording;
    recording.file = path_ + ":" + group;
    recording.columns = {"x", "y", "z", "qw", "qx", "qy", "qz"};
    recording.values = raw.values;
    Quaternion<double> before = IdentityQuaternion<double>();
    for (std::size_t k = 0; k < body.size(); ++k) {
      recording.time.push_back(time[k] - time[0]);
      if (!body[k].p.allFinite()) continue;
      SE3<double> X = X_CM * body[k];
      X.q /= X.q.norm();
      if (X.q.dot(before) < 0) X.q = -X.q;
      before = X.q;
      for (std::size_t i = 0; i < 3; ++i) {
        raw.values[i][k] = body[k].p[static_cast<int>(i)];
        recording.values[i][k] = X.p[static_cast<int>(i)];
      }
      for (std::size_t i = 0; i < 4; ++i) {
        raw.values[3 + i][k] = body[k].q[static_cast<int>(i)];
        recording.values[3 + i][k] = X.q[static_cast<int>(i)];
      }
    }
    const std::vector<int> frozen = FindFrozenRows(raw, {0, 1, 2, 3, 4, 5, 6});
    for (const int k : frozen)
      for (std::vector<double>& column : recording.values) column[static_cast<std::size_t>(k)] = kMissing;
    if (!frozen.empty())
      result_.notes.push_back(fmt::format("{}: {} frozen frames become missing values", group, frozen.size()));
    if (std::all_of(recording.values[0].begin(), recording.values[0].end(), [](double x) { return std::isnan(x); }))
      Fail(TransformsOf(base, result_.object), "is missing in every frame.", "Leave the recording out.");

    const std::string note = Attribute(base, "note").value_or(""),
                      stamp = Attribute(base, "recording_timestamp").value_or("");
    result_.notes.push_back(fmt::format("{}: {} frames at {:.5g} Hz{}{}", group, body.size(), CheckClock(time).rate,
                                        stamp.empty() ? "" : ", recorded " + Printable(stamp),
                                        note.empty() ? "" : ", note: " + Printable(note, 120)));
    const bool running = note.find("running") != std::string::npos || note.find("moving") != std::string::npos;
    if (running && options_.belt == std::array<double, 3>{})
      result_.notes.push_back(fmt::format(
          "warning: {}: its note says that the conveyor runs, and the archive does not say how fast: set option `belt`",
          group));
    result_.recordings.emplace_back(group, std::move(recording));
    return RotateInverse<double>(X_MC.q, Eigen::Vector3d(0, 0, -1));
  }

  void WriteSceneText(const Eigen::Vector3d& gravity) {
    const std::string name = LegalName(result_.object);
    const auto vector = [](const Eigen::Vector3d& v) {
      const auto clean = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };
      return fmt::format("[{}, {}, {}]", FormatDouble(clean(v[0])), FormatDouble(clean(v[1])),
                         FormatDouble(clean(v[2])));
    };
    std::string shape;
    if (!object_->dimensions.isZero(0)) {
      shape = fmt::format("{{box: {{size: {}}}}}", vector(object_->dimensions));
    } else {
      std::vector<std::string> vertices;
      for (const Eigen::Vector3d& v : object_->vertices) vertices.push_back(vector(v));
      shape = fmt::format("{{polytope: {{vertices: [{}]}}}}", fmt::join(vertices, ", "));
    }
    const Eigen::Matrix3d& I = object_->inertia;
    const bool diagonal = std::abs(I(0, 1)) + std::abs(I(0, 2)) + std::abs(I(1, 2)) < 1e-12;
    const std::string inertia =
        diagonal
            ? vector(I.diagonal())
            : fmt::format("[{}, {}, {}, {}, {}, {}]", FormatDouble(I(0, 0)), FormatDouble(I(1, 1)),
                          FormatDouble(I(2, 2)), FormatDouble(I(0, 1)), FormatDouble(I(0, 2)), FormatDouble(I(1, 2)));
    result_.scene = fmt::format(
        "# {} of an Impact-Aware Robotics archive. The world is the conveyor's frame; friction and restitution are "
        "guesses.\n"
        "ricochet: 1\nspace: spatial\ngravity: {}\nbodies:\n  {}:\n    shape: {}\n    mass: {}\n    inertia: {}\n"
        "surfaces:\n  conveyor: {{plane: {{point: [0, 0, 0], normal: [0, 0, 1]}}, velocity: {}}}\n"
        "contact: {{friction: 0.4, restitution: 0.2}}\n",
        Printable(result_.object), vector(gravity), name, shape, FormatDouble(object_->mass), inertia,
        vector(Eigen::Vector3d(options_.belt.data())));
    ParseScene(result_.scene, path_ + " as a scene");
  }

  std::string path_;
  IamOptions options_;
  hsize_t most_numbers_ = kMostNumbers;  // that a dataset of this file can have
  Handle file_;
  IamArchive result_;
  std::optional<IamObject> object_;
};

}  // namespace

IamArchive ReadIam(const std::string& file, const IamOptions& options) { return IamReader(file, options).Read(); }

}  // namespace ricochet

#endif
