# Not tried yet, as the command on macOS. Replace OWNER and the digest.
class Segdl < Formula
  desc "Download accelerator with segments, resume, queues and mirrors"
  homepage "https://github.com/OWNER/SegmentedDL"
  url "https://github.com/OWNER/SegmentedDL/archive/refs/tags/v0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on macos: :sequoia
  depends_on "openssl@3"

  uses_from_macos "python" => :build
  uses_from_macos "swift" => :build, since: :tahoe # 6.2 or later
  uses_from_macos "curl"
  uses_from_macos "libxml2"
  uses_from_macos "sqlite"

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "segdl"
    bin.install ".build/release/segdl"
    generate_completions_from_executable(bin/"segdl", "--generate-completion-script")
    system "Scripts/man", bin/"segdl", man1
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/segdl --version")
  end
end
