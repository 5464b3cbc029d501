// Copyright 2026 The Ricochet Authors. Licensed under the Apache License, Version 2.0.
//
// The committed page, and the data that goes into it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/hash.h"
#include "core/input_file.h"
#include "report/page/page_data.h"
#include "report/page/page_template.h"
#include "report/page/thinning.h"
#include "report/summary.h"
#include "tests/support/report_samples.h"
#include "tests/support/test_paths.h"

namespace ricochet {
namespace {

namespace fs = std::filesystem;
using testing::SourcePath;

TEST(ReportPage, IsBuiltFromItsSources) {
  std::vector<std::string> files = {"index.html", "package-lock.json", "package.json", "tsconfig.json",
                                    "vite.config.ts"};
  for (const auto& entry : fs::directory_iterator(SourcePath("web/src")))
    files.push_back("src/" + entry.path().filename().string());
  std::sort(files.begin(), files.end());
  std::string list;
  for (const std::string& file : files) list += file + " " + Sha256OfFile(SourcePath("web/" + file)) + "\n";
  EXPECT_NE(PageTemplate().find("name=\"ricochet-sources\" content=\"" + Sha256Hex(list) + "\""),
            std::string_view::npos)
      << "web/dist/report.html is out of date: run `npm ci && npm run build` in web/ and commit it";
}

TEST(ReportPage, IsWholeSmallAndTheCommittedOne) {
  EXPECT_LT(PageTemplate().size(), 1500000u);
  EXPECT_EQ(PageTemplate(), ReadInputFile(SourcePath("web/dist/report.html")));
  EXPECT_NE(PageTemplate().find(kDataMark), std::string_view::npos);
  EXPECT_NE(PageTemplate().find("Content-Security-Policy"), std::string_view::npos);
}

TEST(ReportPage, DataCannotEndTheirElement) {
  std::vector<std::string> expected;
  const PageData page = MakePageData(testing::HostileReport(expected));
  for (const char c : page.json) {
    EXPECT_TRUE(c >= ' ' && c <= '~');
    EXPECT_TRUE(c != '<' && c != '>' && c != '&');
  }
  const auto json = nlohmann::json::parse(page.json);
  EXPECT_EQ(json["motions"][0]["name"].get<std::string>(), "motion 0 " + testing::HostileTexts()[0]);
}

TEST(ReportThinning, KeepsExtremesAndImpacts) {
  ReportTrack track;
  track.channels.push_back({"x", "m", ChannelGroup::kPose, false, {}});
  for (int i = 0; i < 300000; ++i) {
    track.time.push_back(1e-3 * i);
    track.channels[0].values.push_back(std::sin(0.01 * i));
  }
  track.channels[0].values[123457] = 7;
  track.channels[0].values[200001] = -9;
  const std::vector<double> impacts = {77.7775, 250.0};
  const std::vector<int> rows = RowsToKeep(track, impacts);
  EXPECT_LE(rows.size(), 31000u);
  for (const int row : {0, 123457, 200001, 77777, 77778, 249999, 250000, 299999})
    EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row)) << row;
}

TEST(ReportThinning, KeepsEveryImpactAmongContacts) {
  std::vector<ReportContact> contacts(200000);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    contacts[i].time = 1e-3 * static_cast<double>(i);
    contacts[i].normal = 1;
    contacts[i].impact = i % 100 == 0;
  }
  contacts[55555].normal = 50;
  const auto kept = ThinContacts(contacts);
  EXPECT_EQ(std::count_if(kept.begin(), kept.end(), [](const ReportContact& c) { return c.impact; }), 2000);
  EXPECT_TRUE(std::any_of(kept.begin(), kept.end(), [](const ReportContact& c) { return c.normal == 50; }));
  EXPECT_LT(kept.size(), 25000u);
}

TEST(ReportSummary, DistinguishesNoiseFromATrend) {
  ReportTrack recorded, fitted;
  for (ReportTrack* track : {&recorded, &fitted}) {
    track->channels.push_back({"x", "m", ChannelGroup::kPose, false, {}});
    track->channels.push_back({"y", "m", ChannelGroup::kPose, false, {}});
  }
  for (int i = 0; i < 400; ++i) {
    recorded.time.push_back(0.01 * i);
    fitted.time.push_back(0.01 * i);
    fitted.channels[0].values.push_back(0);
    fitted.channels[1].values.push_back(0);
    recorded.channels[0].values.push_back(std::sin(12345.678 * i * i));
    recorded.channels[1].values.push_back(std::sin(0.05 * i));
  }
  const auto patterns = FindResidualPatterns(recorded, fitted);
  ASSERT_EQ(patterns.size(), 2u);
  EXPECT_TRUE(patterns[0].random()) << patterns[0].correlation;
  EXPECT_FALSE(patterns[1].random());
  EXPECT_EQ(WithUncertainty(0.300375, 0.00028), "0.30038 ± 0.00028");
  EXPECT_EQ(WithUncertainty(7.56641e-4, 5.6e-7), "(7.5664 ± 0.0056) × 10⁻⁴");
}

TEST(Evaluation, ReadsBackWhatItWrote) {
  const Evaluation evaluation = testing::SampleEvaluation();
  const std::string text = FormatEvaluation(evaluation);
  EXPECT_EQ(FormatEvaluation(ParseEvaluation(text, "e.json")), text);
  auto json = nlohmann::json::parse(text);
  json["cost_maps"][0]["cost"].erase(0);
  EXPECT_THROW(ParseEvaluation(json.dump(), "e.json"), InputError);
}

}  // namespace
}  // namespace ricochet
