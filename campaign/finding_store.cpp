// See finding_store.h.
#include "campaign/finding_store.h"

#include <system_error>

#include "repro/atomic_file.h"

namespace rankle {

void FolderStore::save(Found& found) {
  try {
    if (found.file.empty()) {
      std::filesystem::create_directories(folder_);
      found.file = create_numbered_file(folder_, repro_stem(found.repro), to_text(found.repro));
    } else {
      replace_file(found.file, to_text(found.repro));
    }
    found.write_error.clear();
  } catch (const std::system_error& error) {
    found.write_error = error.what();
  }
}

}  // namespace rankle
