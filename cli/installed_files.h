// Where the files lie that belong to this program: beside it in a build tree, or in an
// installation, whose folders are found from the program's own, so that it may be moved as a whole.
//
//   PREFIX/bin/rankle
//   PREFIX/lib/rankle/rankle-worker-sim, PREFIX/lib/rankle/targets/*.so
//   PREFIX/share/rankle/corpus, PREFIX/share/rankle/kernels
#pragma once

#include <filesystem>
#include <string>

namespace rankle::cli {

// The worker of a platform; the place in a build tree if there is none at all.
std::filesystem::path worker_file(const std::string& platform);

// PREFIX/share/rankle; it need not exist.
std::filesystem::path shared_folder();

// The corpus that came with this program: the installed one, or that of the sources round a build
// tree. Empty if there is none.
std::filesystem::path corpus_folder();

}  // namespace rankle::cli
