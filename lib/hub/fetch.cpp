#include "hub/fetch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/output_file.h"
#include "base/process.h"
#include "hub/listing.h"
#include "json/json.h"

namespace bert::hub {
namespace {

namespace fs = std::filesystem;

const std::string kNoCurl =
    "curl is not installed or not on the PATH (on Debian and Ubuntu, the package curl)";

std::string endpoint() {
  const char* const given = std::getenv("HF_ENDPOINT");
  std::string address = given == nullptr || *given == '\0' ? "https://huggingface.co" : given;
  while (address.ends_with('/')) address.pop_back();
  if (!address.starts_with("https://") && !address.starts_with("http://"))
    throw Error("HF_ENDPOINT: is ", json::in_quotes(address), ", expected an address with https://");
  return address;
}

bool is_offline() {
  const char* const value = std::getenv("HF_HUB_OFFLINE");
  return value != nullptr && *value != '\0' && std::string_view(value) != "0";
}

// A path as part of an address (RFC 3986, section 2.1).
std::string percent_encoded(std::string_view path) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const unsigned char c : path) {
    if (kPlain.find(static_cast<char>(c)) != kPlain.npos) {
      encoded += static_cast<char>(c);
    } else {
      (encoded += '%') += kDigits[c >> 4];
      encoded += kDigits[c & 15];
    }
  }
  return encoded;
}

// A line of curl's configuration, which has the access token; in arguments, other users could read it.
void add_setting(std::string& settings, std::string_view name, std::string_view value) {
  (settings += name) += " = \"";
  for (const char c : value) {
    if (c == '"' || c == '\\') settings += '\\';
    settings += c;
  }
  settings += "\"\n";
}

class Curl {
 public:
  Curl(const ModelName& model, bool progress) : model_(model), progress_(progress), token_(access_token()) {
    if (token_.find_first_of("\r\n\"\\") != token_.npos) throw Error("HF_TOKEN: is not an access token");
  }

  // The body of the answer; if it goes to the file `path`, whose end it continues, nothing.
  std::string get(const std::string& address, const std::string& path = "") const {
    const bool shown = progress_ && !path.empty();
    std::string settings =
        "fail\nlocation\nretry = 3\nconnect-timeout = 30\nspeed-limit = 1\nspeed-time = 60\n";
    settings += shown ? "progress-bar\n" : "silent\nshow-error\n";
    settings += "write-out = \"\\n%{http_code}\"\n";
    for (const char* name : {"proto", "proto-redir"})
      add_setting(settings, name, address.starts_with("https") ? "=https" : "=https,http");
    add_setting(settings, "url", address);
    if (!token_.empty()) add_setting(settings, "header", "Authorization: Bearer " + token_);
    if (!path.empty()) {
      add_setting(settings, "output", path);
      settings += "continue-at = \"-\"\n";
    }
    auto result = run_process({"curl", "-K", "-"}, settings, kNoCurl,
                              shown ? ProcessErrors::shown : ProcessErrors::collected);
    const size_t end = std::min(result.out.rfind('\n'), result.out.size());
    if (!result.succeeded()) fail(address, result, result.out.substr(std::min(end + 1, result.out.size())));
    return result.out.substr(0, end);
  }

 private:
  [[noreturn]] void fail(const std::string& address, const ProcessResult& result,
                         const std::string& code) const {
    if (code == "401" || code == "403")
      throw Error(model_.name, token_.empty()
                                   ? ": there is no such public model; for a private or gated one, "
                                     "set HF_TOKEN to an access token"
                                   : ": the access token does not give access to it");
    if (code == "404") throw Error(address, ": there is no such model, revision or file");
    if (code.starts_with('4') || code.starts_with('5')) throw Error(address, ": the server answers ", code);
    throw Error(address, ": ", result.complaint());
  }

  const ModelName& model_;
  bool progress_;
  std::string token_;
};

// The checksum by which the Hub names a blob.
std::string etag_of(const std::string& path, bool large) {
  const std::string program = large ? "sha256sum" : "sha1sum";
  std::string input;
  std::vector<std::string> command = {program};
  if (large) {
    command.push_back(path);
  } else {
    const auto content = read_file(path);
    input = "blob " + std::to_string(content.size()) + '\0' + content;
  }
  const auto result = run_process(command, input, program + " is not on the PATH");
  if (!result.succeeded()) throw Error(path, ": ", result.complaint());
  const size_t begin = result.out.starts_with('\\') ? 1 : 0;  // of a name with a backslash
  return result.out.substr(begin, result.out.find(' ') - begin);
}

// One process at a time downloads a blob, as with the lock files of the Python libraries.
class Lock {
 public:
  explicit Lock(const fs::path& path) {
    fs::create_directories(path.parent_path());
    file_ = FileDescriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (file_.get() < 0) throw Error(path.string(), ": ", std::strerror(errno));
    while (::flock(file_.get(), LOCK_EX) != 0) {
      if (errno != EINTR) throw Error(path.string(), ": ", std::strerror(errno));
    }
  }

 private:
  FileDescriptor file_;
};

void download(const Curl& curl, const std::string& address, const RemoteFile& file, const fs::path& blob) {
  const std::string partial = blob.string() + ".incomplete";
  if (kind_of(partial) != FileKind::absent && std::cmp_greater(fs::file_size(partial), file.size))
    fs::remove(partial);
  if (file.size == 0) OutputFile(partial).commit();
  if (kind_of(partial) == FileKind::absent || std::cmp_less(fs::file_size(partial), file.size))
    curl.get(address, partial);
  const bool has_size = std::cmp_equal(fs::file_size(partial), file.size);
  if (!has_size || etag_of(partial, file.large) != file.etag) {
    const auto size = fs::file_size(partial);
    fs::remove(partial);
    throw Error(
        file.path, ": the download has ", has_size ? "another checksum" : "another size",
        " than the Hub states",
        has_size ? "" : " (" + std::to_string(size) + " bytes, expected " + std::to_string(file.size) + ")",
        "; run bert-fetch again");
  }
  fs::rename(partial, blob);
}

void link_to(const fs::path& blob, const fs::path& path) {
  fs::create_directories(path.parent_path());
  const auto target = blob.lexically_relative(path.parent_path());
  std::error_code error;
  if (fs::read_symlink(path, error) == target) return;
  const fs::path fresh = path.string() + "." + std::to_string(::getpid());
  fs::remove(fresh);
  fs::create_symlink(target, fresh);
  fs::rename(fresh, path);
}

}  // namespace

std::string fetch(const ModelName& model, bool progress, Log& log) {
  if (is_offline()) throw Error(model.name, ": HF_HUB_OFFLINE forbids downloads");
  const Curl curl(model, progress);
  const auto address = endpoint();
  const auto listing = parse_listing(curl.get(address + "/api/models/" + model.name + "/revision/" +
                                              percent_encoded(model.revision) + "?blobs=true"),
                                     model.name);
  const auto files = needed_files(listing, model.name);
  const fs::path directory = directory_of(model), snapshot = directory / "snapshots" / listing.commit;
  fs::create_directories(directory / "blobs");
  const auto locks = directory.parent_path() / ".locks" / directory.filename();
  for (const auto& file : files) {
    const auto blob = directory / "blobs" / file.etag;
    const Lock lock(locks / (file.etag + ".lock"));
    if (!is_file(blob.string()) || !std::cmp_equal(fs::file_size(blob), file.size)) {
      log.warn(file.path + " (" + counted(file.size, "byte", "bytes") + ")");
      download(curl,
               address + "/" + model.name + "/resolve/" + listing.commit + "/" + percent_encoded(file.path),
               file, blob);
    }
    link_to(blob, snapshot / file.path);
  }
  if (model.revision != listing.commit) {
    const auto ref = directory / "refs" / model.revision;
    fs::create_directories(ref.parent_path());
    OutputFile output(ref.string());
    output.write(listing.commit);
    output.commit();
  }
  return snapshot.string();
}

}  // namespace bert::hub
