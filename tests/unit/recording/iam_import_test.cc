// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
// Impact-Aware Robotics archives, written to the documented layout (no archive is at hand), and damaged ones.
#include "recording/mocap/iam_import.h"

#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

#include "math/so3.h"
#include "ricochet/scene.h"
#include "tests/support/damaged_import.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

constexpr int kFrames = 12;

struct ArchiveSpec {
  std::string group = "Rec_20200701T100851Z", object = "Box006", surface = "ConveyorPart001";
  bool frames_first = false;  // N x 4 x 4
  bool frequency_as_text = true;
  bool datalog = true, described = true, tracked = true;
  std::string note = "conveyor stationary";
  std::vector<double> mass = {0.365};
  std::vector<hsize_t> vertices = {8, 3};
  std::vector<hsize_t> inertia = {6, 6};
  std::vector<hsize_t> transforms{};  // another shape
  double frequency = 100;
  double last_row = 1, stretch = 1, time_step = 0.01;
  bool all_missing = false, surface_missing = false, text_transforms = false, no_vertices = false, no_inertia = false;
  int frames = kFrames, log_rows = kFrames;
  std::string mass_text{};  // as an attribute
};

class Archive {
 public:
  explicit Archive(const std::string& file) : file_(H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Archive() { H5Fclose(file_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  void Group(const std::string& path) {
    for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
      const std::string part = path.substr(0, at);
      if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0)
        H5Gclose(H5Gcreate2(file_, part.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      if (at == std::string::npos) return;
    }
  }
  void Numbers(const std::string& path, const std::vector<hsize_t>& dimensions, std::vector<double> values) {
    std::size_t count = 1;
    for (const hsize_t d : dimensions) count *= d;
    values.resize(count, 0);
    const hid_t space = H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr);
    const hid_t data = H5Dcreate2(file_, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
  }
  /// A dataset that states its size, but was never written.
  void Unwritten(const std::string& path, const std::vector<hsize_t>& dimensions) {
    const hid_t space = H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr);
    const hid_t chunks = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(chunks, static_cast<int>(dimensions.size()), std::vector<hsize_t>(dimensions.size(), 4).data());
    H5Dclose(H5Dcreate2(file_, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, chunks, H5P_DEFAULT));
    H5Pclose(chunks), H5Sclose(space);
  }
  void Text(const std::string& path, const std::string& name, const std::string& value) {
    const hid_t object = H5Oopen(file_, path.c_str(), H5P_DEFAULT), type = H5Tcopy(H5T_C_S1),
                space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, value.size() + 1);
    const hid_t attribute = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value.c_str());
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type), H5Oclose(object);
  }
  void Number(const std::string& path, const std::string& name, double value) {
    const hid_t object = H5Oopen(file_, path.c_str(), H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
    H5Aclose(attribute), H5Sclose(space), H5Oclose(object);
  }
  void Log(const std::string& path, int rows, double step) {
    struct Row {
      int frame;
      double time;
    };
    std::vector<Row> table;
    for (int k = 0; k < rows; ++k) table.push_back({k, 5 + step * k});
    const hid_t type = H5Tcreate(H5T_COMPOUND, sizeof(Row));
    H5Tinsert(type, "Frame", HOFFSET(Row, frame), H5T_NATIVE_INT);
    H5Tinsert(type, "Time(s)", HOFFSET(Row, time), H5T_NATIVE_DOUBLE);
    const hsize_t count = static_cast<hsize_t>(rows);
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t data = H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, table.data());
    H5Dclose(data), H5Sclose(space), H5Tclose(type);
  }

 private:
  hid_t file_;
};

/// The conveyor is turned by 90 degrees about z and lies 0.5 m up; the box falls 1 cm per frame over it.
Eigen::Matrix4d ConveyorPose() {
  Eigen::Matrix4d H = Eigen::Matrix4d::Identity();
  H.topLeftCorner<3, 3>() = RotationMatrix<double>(ExpSO3(Eigen::Vector3d(0, 0, M_PI / 2)));
  H(0, 3) = 1;
  H(2, 3) = 0.5;
  return H;
}
Eigen::Matrix4d BoxPose(int k) {
  Eigen::Matrix4d H = Eigen::Matrix4d::Identity();
  H(0, 3) = 1;
  H(1, 3) = 0.2;
  H(2, 3) = 1 - 0.01 * k;
  return H;
}

void Add(Archive& archive, const ArchiveSpec& spec) {
  const std::string base = "/" + spec.group, mocap = base + "/SENSOR_MEASUREMENT/Mocap",
                    object = base + "/OBJECT/" + spec.object;
  archive.Group(base);
  archive.Text(base, "note", spec.note);
  archive.Text(base, "recording timestamp", "20200701T100851Z");
  archive.Group(mocap + "/POSTPROCESSING");
  if (spec.described) {
    archive.Group(object);
    std::vector<double> vertices, inertia(36, 0);
    for (int i = 0; i < 8; ++i)
      for (int a = 0; a < 3; ++a)
        vertices.push_back((i >> a & 1 ? 0.5 : -0.5) *
                           std::vector<double>{0.205, 0.155, 0.1}[static_cast<std::size_t>(a)]);
    for (int i = 0; i < 3; ++i) {
      inertia[static_cast<std::size_t>(7 * i)] = 0.365;
      inertia[static_cast<std::size_t>(7 * (i + 3))] =
          std::vector<double>{1.04e-3, 1.59e-3, 2.02e-3}[static_cast<std::size_t>(i)];
    }
    if (!spec.no_vertices) archive.Numbers(object + "/vertices", spec.vertices, vertices);
    archive.Numbers(object + "/dimensions", {3}, {0.205, 0.155, 0.1});
    if (spec.mass_text.empty()) {
      archive.Numbers(object + "/mass", {spec.mass.size()}, spec.mass);
    } else {
      archive.Text(object, "mass", spec.mass_text);
    }
    if (!spec.no_inertia) archive.Numbers(object + "/inertia", spec.inertia, inertia);
  }
  const auto transforms = [&](const std::string& name, const std::function<Eigen::Matrix4d(int)>& pose, bool missing) {
    archive.Group(mocap + "/POSTPROCESSING/" + name);
    const auto n = static_cast<hsize_t>(spec.frames);
    std::vector<double> values(16 * n, 0);
    for (int k = 0; k < spec.frames; ++k) {
      Eigen::Matrix4d H = pose(k);
      H(3, 3) = spec.last_row;
      H.topLeftCorner<3, 3>() *= spec.stretch;
      if (missing) H.setConstant(NAN);
      for (hsize_t r = 0; r < 4; ++r)
        for (hsize_t c = 0; c < 4; ++c)
          values[spec.frames_first ? (static_cast<hsize_t>(k) * 4 + r) * 4 + c
                                   : (r * 4 + c) * n + static_cast<hsize_t>(k)] =
              H(static_cast<int>(r), static_cast<int>(c));
    }
    std::vector<hsize_t> shape = spec.frames_first ? std::vector<hsize_t>{n, 4, 4} : std::vector<hsize_t>{4, 4, n};
    if (!spec.transforms.empty()) shape = spec.transforms;
    const std::string path = mocap + "/POSTPROCESSING/" + name + "/transforms";
    if (spec.text_transforms) {
      archive.Log(path, 3, 0.1);
    } else {
      archive.Numbers(path, shape, values);
    }
  };
  if (spec.tracked) transforms(spec.object, BoxPose, spec.all_missing);
  if (!spec.surface.empty())
    transforms(
        spec.surface, [](int) { return ConveyorPose(); }, spec.surface_missing);
  if (spec.datalog) {
    archive.Log(mocap + "/datalog", spec.log_rows, spec.time_step);
    if (spec.frequency_as_text && spec.frequency > 0)
      archive.Text(mocap + "/datalog", "sample_frequency", std::to_string(spec.frequency));
    if (!spec.frequency_as_text && spec.frequency > 0)
      archive.Number(mocap + "/datalog", "sample_frequency", spec.frequency);
  }
}

class Iam : public ::testing::Test {
 protected:
  IamArchive Import(const std::vector<ArchiveSpec>& specs, const IamOptions& options = {}) {
    {
      Archive archive(folder_.File("archive.h5"));
      archive.Group("/ENVIRONMENT");
      for (const ArchiveSpec& spec : specs) Add(archive, spec);
    }
    return ReadIam(folder_.File("archive.h5"), options);
  }
  std::string Message(const std::function<void()>& act) {
    std::string message = testing::MessageOf(act);
    const std::string file = folder_.File("archive.h5");
    if (const std::size_t at = message.find(file); at != std::string::npos)
      message.replace(at, file.size(), "archive.h5");
    return message;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(Iam, PosesRelativeToTheConveyor) {
  for (const bool frames_first : {false, true}) {
    for (const bool text : {false, true}) {
      const IamArchive result = Import({{.frames_first = frames_first, .frequency_as_text = text}});
      ASSERT_EQ(result.recordings.size(), 1u);
      const Recording& r = result.recordings[0].second;
      ASSERT_EQ(r.rows(), kFrames);
      EXPECT_DOUBLE_EQ(r.time[0], 0);
      EXPECT_NEAR(r.time[3], 0.03, 1e-9);
      // World offset (0, 0.2, 0.5) seen from axes turned by 90 degrees: (0.2, 0, 0.5).
      EXPECT_NEAR(r.values[0][0], 0.2, 1e-12);
      EXPECT_NEAR(r.values[1][0], 0, 1e-12);
      EXPECT_NEAR(r.values[2][4], 0.46, 1e-12);
      EXPECT_NEAR(std::abs(r.values[6][0]), std::sqrt(0.5), 1e-12);
      const Scene scene = ParseScene(result.scene, "scene.yaml");
      EXPECT_NEAR(scene[scene.Find("bodies.Box006.mass")], 0.365, 1e-12);
      EXPECT_NEAR(scene[scene.Find("bodies.Box006.inertia[2]")], 2.02e-3, 1e-15);
      EXPECT_NEAR(scene[scene.Find("gravity[2]")], -9.81, 1e-12);
    }
  }
}

TEST_F(Iam, SeveralRecordingsAndWhatTheyLack) {
  const IamArchive result = Import({{},
                                    {.group = "Rec_2", .surface = "", .described = false, .note = "running"},
                                    {.group = "Rec_3", .tracked = false}});
  EXPECT_EQ(result.recordings.size(), 2u);
  std::string notes;
  for (const std::string& note : result.notes) notes += note + "\n";
  for (const char* part :
       {"Rec_3: without Box006", "Rec_2: no surface is tracked", "Rec_2: its note says that the conveyor runs",
        "relative to ConveyorPart001", "recorded 20200701T100851Z", "100 Hz"})
    EXPECT_NE(notes.find(part), std::string::npos) << part << "\n" << notes;
}

TEST_F(Iam, MassAsAnAttribute) { EXPECT_NE(Import({{.mass_text = "0.5"}}).scene.find("mass: 0.5"), std::string::npos); }

TEST_F(Iam, RateByAttributeAndDisagreement) {
  const IamArchive result = Import({{.frequency = 120}});
  bool noted = false;
  for (const std::string& note : result.notes)
    noted = noted || note.find("120 Hz; the times are used") != std::string::npos;
  EXPECT_TRUE(noted);
}

TEST_F(Iam, DamagedArchivesAndWhatIsSaid) {
  const std::string end = "/Rec_20200701T100851Z/SENSOR_MEASUREMENT/Mocap/";
  const std::string box = "/Rec_20200701T100851Z/OBJECT/Box006/", track = end + "POSTPROCESSING/Box006/transforms";
  const char* const layout = " The layout differs from the documented one.";
  const struct {
    std::vector<ArchiveSpec> specs;
    IamOptions options;
    std::string message;
  } cases[] = {
      {{}, {}, "`/Rec_...` has no group that begins with `Rec`. Give an archive of recordings."},
      {{{.group = "Take1"}}, {}, "`/Rec_...` has no group that begins with `Rec`. Give an archive of recordings."},
      {{{.described = false}}, {}, "OBJECT: no object is both described and tracked. Name it with option `body`."},
      {{{.tracked = false}}, {}, "OBJECT: no object is both described and tracked. Name it with option `body`."},
      {{{}, {.group = "Rec_2", .object = "Box005"}},
       {},
       "OBJECT: there are Box005 and Box006. Choose one with option `body`."},
      {{{}}, {.body = "Box007"}, "OBJECT/Box007: no recording has this object. Did you mean `Box006`?"},
      {{{.described = false}},
       {.body = "Box006"},
       "OBJECT/Box006: no recording describes this object. Its mass, inertia and vertices are needed for a scene."},
      {{{.tracked = false}},
       {.body = "Box006"},
       "POSTPROCESSING/Box006: no recording has transforms of this object. Choose another with option `body`."},
      {{{}},
       {.surface = "Floor"},
       "POSTPROCESSING/Floor: Rec_20200701T100851Z does not have it. Name a surface that is tracked, or leave "
       "option `surface` out."},
      {{{.transforms = {4, 48}}}, {}, "`" + track + "` has 2 axes, not 3. transforms are 4 x 4 x N."},
      {{{.transforms = {4, 3, 16}}}, {}, "`" + track + "` is 4 x 3 x 16. transforms are 4 x 4 x N or N x 4 x 4."},
      {{{.transforms = {3, 3, 3}}}, {}, "`" + track + "` is 3 x 3 x 3. transforms are 4 x 4 x N or N x 4 x 4."},
      {{{.text_transforms = true}}, {}, track + ": does not hold numbers." + layout},
      {{{.last_row = 0}},
       {},
       track + ": the last row of frame 1 is not 0 0 0 1. The axes of the array are not as documented."},
      {{{.stretch = 2}}, {}, track + ": frame 1 holds no rotation." + layout},
      {{{.stretch = -1}}, {}, track + ": frame 1 holds no rotation." + layout},
      {{{.all_missing = true}}, {}, "`" + track + "` is missing in every frame. Leave the recording out."},
      {{{.surface_missing = true}},
       {},
       "`" + end + "POSTPROCESSING/ConveyorPart001/transforms` is missing in every frame. Choose another with option "
             "`surface`."},
      {{{.frames = 1, .log_rows = 1}}, {}, "`" + track + "` has fewer than two frames. Leave the recording out."},
      {{{.log_rows = 7}}, {}, "`" + end + "datalog` has 7 rows for 12 transforms. Frames must match one to one."},
      {{{.time_step = 0}}, {}, end + "datalog: Time(s) does not increase in row 2. Times must increase."},
      {{{.time_step = -0.01}}, {}, end + "datalog: Time(s) does not increase in row 2. Times must increase."},
      {{{.time_step = NAN}}, {}, end + "datalog: Time(s) does not increase in row 1. Times must increase."},
      {{{.datalog = false}},
       {},
       "`" + end + "datalog` has neither a column Time(s) nor an attribute sample_frequency. The times of the frames "
             "are needed."},
      {{{.mass = {-1}}}, {}, box + "mass: -1 kg is not a mass. A mass is one positive number."},
      {{{.mass = {1, 2}}}, {}, box + "mass: 0 kg is not a mass. A mass is one positive number."},
      {{{.mass_text = "heavy"}}, {}, box + "mass: 0 kg is not a mass. A mass is one positive number."},
      {{{.vertices = {8, 2}}}, {}, box + "vertices: its shape is not n x 3 with 4 to 1000 vertices." + layout},
      {{{.vertices = {24}}}, {}, box + "vertices: its shape is not n x 3 with 4 to 1000 vertices." + layout},
      {{{.no_vertices = true}}, {}, "`" + box + "vertices` is missing. A scene needs vertices, mass and inertia."},
      {{{.no_inertia = true}}, {}, "`" + box + "inertia` is missing. A scene needs vertices, mass and inertia."},
      {{{.inertia = {6, 5}}}, {}, box + "inertia: its shape is neither 6 x 6 nor 3 x 3." + layout},
      {{{.inertia = {36}}}, {}, box + "inertia: its shape is neither 6 x 6 nor 3 x 3." + layout},
  };
  EXPECT_GE(std::size(cases), 30u);
  for (const auto& one : cases)
    EXPECT_EQ(Message([&] { Import(one.specs, one.options); }), "archive.h5: " + one.message);
}

TEST_F(Iam, SizesThatTheFileCannotHold) {
  const std::string file = folder_.File("archive.h5");
  const std::string box = "/Rec_20200701T100851Z/SENSOR_MEASUREMENT/Mocap/POSTPROCESSING/Box006";
  {
    Archive archive(file);
    Add(archive, {.tracked = false});
    archive.Group(box);
    archive.Unwritten(box + "/transforms", {4, 4, 4000000});
  }
  EXPECT_LT(std::filesystem::file_size(file), 200000u);
  EXPECT_EQ(Message([&] { ReadIam(file, {.body = "Box006"}); }),
            "archive.h5: " + box + "/transforms: states an impossible number of values. Copy the archive again.");
}

TEST_F(Iam, NoArchiveAtAll) {
  const std::string file = folder_.File("archive.h5");
  EXPECT_EQ(Message([&] { ReadIam(file); }), "archive.h5: there is no such file. Check the name and the folder.");
  std::ofstream(file) << "no archive";
  EXPECT_EQ(Message([&] { ReadIam(file); }), "archive.h5 is not an HDF5 file. Give an archive (.h5) of the database.");
  Import({{}});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  EXPECT_EQ(Message([&] { ReadIam(file); }),
            "archive.h5: HDF5 cannot open it: it is damaged or truncated. Copy it again.");
}

}  // namespace
}  // namespace ricochet
