import TestContent
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLTesting

/// Download pages rebuilt as well-known publishers have them: the names of files and lists, the form of the
/// lists, and the page that lists the directory.
@Suite("The proofs of a hundred download pages", .timeLimit(.minutes(10)))
struct ProofPagesTests {
    private let content = TestContent(seed: 3).bytes(0..<20_000)
    private var digests: [Checksum.Algorithm: String] {
        Dictionary(
            uniqueKeysWithValues: Checksum.Algorithm.hashes.map { ($0, Digest.text(of: content, $0)) })
    }

    /// One page: the file's URL, the other names of its directory (`-` for a directory that shows no
    /// listing), and the documents with their form.
    private struct Page {
        let url: String
        let names: [String]?
        let documents: [(name: String, form: String)]

        init(_ line: Substring) {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map { part in
                String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }
            url = parts[0]
            names = parts[1] == "-" ? nil : parts[1].split(separator: " ").map(String.init)
            documents = parts[2].split(separator: " ").map { word in
                // A URL has a colon, too.
                let colon = word.lastIndex(of: ":") ?? word.endIndex
                return (String(word[..<colon]), String(word[colon...].dropFirst()))
            }
        }

        var file: String { String(url.split(separator: "/").last ?? "") }
        var directory: String { String(url.dropLast(file.count)) }
    }

    // MARK: Forms

    private static let other = String(repeating: "5a", count: 64)

    private func text(_ form: String, _ file: String, in document: String) -> String {
        let parts = form.split(separator: "-").map(String.init)
        let algorithm = parts.count > 1 ? Checksum.Algorithm(rawValue: parts[1]) ?? .sha256 : .sha256
        let digest = digests[algorithm] ?? ""
        let wrong = String(Self.other.prefix(digest.count))
        let lines = [("other-\(file)", wrong), (file, digest), ("\(file).torrent", wrong)]
        switch parts[0] {
        case "gnu": return lines.map { "\($1)  \($0)\n" }.joined()
        case "binary": return lines.map { "\($1) *\($0)\n" }.joined()
        case "dot": return lines.map { "\($1)  ./\($0)\n" }.joined()
        case "one": return "\(digest)  \(file)\n"
        case "path": return "\(digest)  build/out/\(file)\n"
        case "bsd": return lines.map { "\(algorithm.rawValue.uppercased()) (\($0)) = \($1)\n" }.joined()
        case "openssl": return "SHA2-256(\(file))= \(digest)\n"
        case "bare": return digest + "\n"
        case "upper": return digest.uppercased() + "\n"
        case "print":
            // gpg --print-md
            let groups = stride(from: 0, to: digest.count, by: 8).map { start in
                digest.uppercased().dropFirst(start).prefix(8)
            }
            return
                "\(file): \(groups.prefix(4).joined(separator: " "))\n   \(groups.dropFirst(4).joined(separator: " "))\n"
        case "signed":
            let body = lines.map { "\($1)  \($0)\n" }.joined()
            return
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n\(body)-----BEGIN PGP SIGNATURE-----\n\niQEz=\n-----END PGP SIGNATURE-----\n"
        case "signedbsd":
            let body = "# \(file): 20000 bytes\nSHA256 (\(file)) = \(digests[.sha256] ?? "")\n"
            return
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(body)-----BEGIN PGP SIGNATURE-----\n\niQEz=\n-----END PGP SIGNATURE-----\n"
        case "gentoo":
            return
                "# SHA512 HASH\n\(digests[.sha512] ?? "")  \(file)\n# SHA512 HASH\n\(Self.other)  \(file).CONTENTS.gz\n"
        case "release":
            return
                #"{"assets":[{"name":"x","digest":"sha256:\#(Self.other.prefix(64))"},{"name":"\#(file)","digest":"sha256:\#(digest)"}]}"#
        case "old": return #"{"assets":[{"name":"\#(file)","digest":null}]}"#
        case "packages":
            return
                #"{"files":[{"filename":"\#(file)","url":"u","hashes":{"sha256":"\#(digest)"}}],"meta":{"api-version":"1.1"},"name":"n"}"#
        case "web": return "<!DOCTYPE html><html><body>Not found: \(wrong)  \(file)</body></html>"
        case "foreign": return "\(wrong)  another-\(file)\n"
        case "twice": return "\(wrong)  a/\(file)\n\(digest)  b/\(file)\n"
        case "blake": return "\(Self.other)  \(file)\n"
        case "readme": return "Digests are announced on the mailing list.\n"
        default:
            Issue.record("no form \(form)")
            return ""
        }
    }

    /// The pages of Apache, nginx, and of a publisher's own script.
    private func listing(_ names: [String], _ number: Int) -> String {
        let rows = names.map { name in
            switch number % 3 {
            case 0:
                "<tr><td><img src=\"/icons/x.gif\" alt=\"[ ]\"></td><td><a href=\"\(name)\">\(name.prefix(20))..&gt;</a></td><td align=\"right\">2024-06-29 10:11  </td><td>631M</td></tr>"
            case 1: "<a href=\"./\(name)\">\(name)</a>   29-Jun-2024 10:11   661651456"
            default: "<li class=\"file\"><a title='\(name)' href='\(name)'><span>\(name)</span></a></li>"
            }
        }
        let up =
            number % 3 == 0
            ? "<a href=\"?C=N;O=D\">Name</a><a href=\"/\">Parent Directory</a>" : "<a href=\"../\">../</a>"
        return
            "<html><head><title>Index of /</title></head><body>\(up)\n\(rows.joined(separator: "\n"))</body></html>"
    }

    // MARK: The pages

    private enum Found: Equatable {
        case proof, nothing
        case alarm(String)
    }

    private func download(_ page: Page, _ number: Int) async throws -> (found: Found, before: Int) {
        let directory = try TemporaryDirectory()
        let server = FaultServer()
        server.set(FaultServer.File(content), at: page.url)
        if let names = page.names {
            let all = (names + page.documents.map(\.name) + [page.file]).filter { !$0.contains("://") }
                .sorted()
            let page = FaultServer.File(
                Array(listing(all, number).utf8),
                headers: [HTTPHeader("Content-Type", "text/html;charset=utf-8")])
            server.set(page, at: String(self.directory(of: number)))
        }
        for (name, form) in page.documents {
            let type = form == "web" ? "text/html" : "text/plain"
            server.set(
                FaultServer.File(
                    Array(text(form, page.file, in: name).utf8), headers: [HTTPHeader("Content-Type", type)]),
                at: name.contains("://") ? name : page.directory + PercentEncoding.path(name))
        }
        var configuration = Configuration()
        configuration.durability = .process
        configuration.retry.retries = 0
        var request = try DownloadRequest(page.url, to: .directory(directory.filePath("")))
        request.proofPolicy = .require(.digest)
        let found: Found
        do {
            let result = try await server.downloader(configuration).download(request)
            found = result.proofs.isEmpty ? .nothing : .proof
        } catch let error as DownloadError where error.code == .unproven {
            found = .nothing
        } catch {
            found = .alarm("\(error)")
        }
        // The file itself is requested first: nothing is asked before it.
        let first = server.requests.firstIndex { $0.url == page.url } ?? -1
        return (found, first)
    }

    private func directory(of number: Int) -> String { Self.pages[number].directory }

    private static let pages = (proven + unproven).split(separator: "\n").map(Page.init)

    @Test("has one for each page with a list of a known form, and no false alarm")
    func all() async throws {
        let proven = Self.proven.split(separator: "\n").count
        #expect(Self.pages.count >= 100 && proven >= 90)
        try await withThrowingTaskGroup(of: (Int, Found, Int).self) { group in
            for (number, page) in Self.pages.enumerated() {
                group.addTask {
                    let (found, before) = try await download(page, number)
                    return (number, found, before)
                }
            }
            for try await (number, found, before) in group {
                let page = Self.pages[number]
                #expect(found == (number < proven ? .proof : .nothing), "\(page.url)")
                #expect(before == 0, "\(page.url)")
            }
        }
    }

    /// Pages with a list of the file.
    private static let proven = """
        https://cdimage.debian.org/debian-cd/current/amd64/iso-cd/debian-12.7.0-amd64-netinst.iso | debian-edu-12.7.0-amd64-netinst.iso debian-mac-12.7.0-amd64-netinst.iso SHA256SUMS.sign SHA512SUMS.sign | SHA256SUMS:gnu SHA512SUMS:gnu-sha512
        https://cdimage.debian.org/debian-cd/current-live/amd64/iso-hybrid/debian-live-12.7.0-amd64-gnome.iso | debian-live-12.7.0-amd64-gnome.contents debian-live-12.7.0-amd64-gnome.log SHA512SUMS.sign | SHA512SUMS:gnu-sha512 SHA256SUMS:gnu
        https://cloud.debian.org/images/cloud/bookworm/latest/debian-12-genericcloud-amd64.qcow2 | debian-12-genericcloud-amd64.json debian-12-genericcloud-amd64.tar.xz | SHA512SUMS:gnu-sha512
        https://deb.debian.org/debian/dists/stable/main/installer-amd64/current/images/mini.iso | MANIFEST udeb.list | SHA256SUMS:dot MD5SUMS:dot-md5
        https://releases.ubuntu.com/24.04/ubuntu-24.04.1-desktop-amd64.iso | ubuntu-24.04.1-desktop-amd64.iso.torrent ubuntu-24.04.1-desktop-amd64.iso.zsync ubuntu-24.04.1-desktop-amd64.list ubuntu-24.04.1-desktop-amd64.manifest SHA256SUMS.gpg FOOTER.html HEADER.html | SHA256SUMS:binary
        https://releases.ubuntu.com/22.04/ubuntu-22.04.5-live-server-amd64.iso | ubuntu-22.04.5-live-server-amd64.iso.torrent SHA256SUMS.gpg | SHA256SUMS:binary
        https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img | noble-server-cloudimg-amd64.manifest unpacked/ MD5SUMS.gpg SHA256SUMS.gpg | SHA256SUMS:binary MD5SUMS:binary-md5
        https://cdimage.ubuntu.com/xubuntu/releases/24.04/release/xubuntu-24.04-desktop-amd64.iso | xubuntu-24.04-desktop-amd64.iso.zsync SHA256SUMS.gpg | SHA256SUMS:binary
        https://old-releases.ubuntu.com/releases/12.04/ubuntu-12.04-desktop-i386.iso | MD5SUMS.gpg SHA1SUMS.gpg SHA256SUMS.gpg | MD5SUMS:binary-md5 SHA1SUMS:binary-sha1 SHA256SUMS:binary
        https://download.fedoraproject.org/pub/fedora/linux/releases/40/Server/x86_64/iso/Fedora-Server-dvd-x86_64-40-1.14.iso | Fedora-Server-netinst-x86_64-40-1.14.iso | Fedora-Server-40-1.14-x86_64-CHECKSUM:signedbsd
        https://dl.fedoraproject.org/pub/fedora/linux/releases/40/Workstation/x86_64/iso/Fedora-Workstation-Live-x86_64-40-1.14.iso | - | Fedora-Workstation-Live-x86_64-40-1.14.iso.sha256:one
        https://mirror.stream.centos.org/9-stream/BaseOS/x86_64/iso/CentOS-Stream-9-latest-x86_64-dvd1.iso | CentOS-Stream-9-latest-x86_64-dvd1.iso.MD5SUM CentOS-Stream-9-latest-x86_64-dvd1.iso.manifest | CentOS-Stream-9-latest-x86_64-dvd1.iso.SHA256SUM:bsd CentOS-Stream-9-latest-x86_64-dvd1.iso.SHA1SUM:bsd-sha1
        https://vault.centos.org/7.9.2009/isos/x86_64/CentOS-7-x86_64-Minimal-2009.iso | CentOS-7-x86_64-Minimal-2009.torrent | sha256sum.txt:gnu sha256sum.txt.asc:signed
        https://download.rockylinux.org/pub/rocky/9/isos/x86_64/Rocky-9.4-x86_64-dvd.iso | Rocky-9.4-x86_64-dvd.iso.manifest Rocky-9.4-x86_64-dvd.torrent | CHECKSUM:bsd Rocky-9.4-x86_64-dvd.iso.CHECKSUM:bsd
        https://repo.almalinux.org/almalinux/9/isos/x86_64/AlmaLinux-9.4-x86_64-dvd.iso | AlmaLinux-9.4-x86_64-dvd.iso.manifest CHECKSUM.asc | CHECKSUM:bsd
        https://download.opensuse.org/distribution/leap/15.6/iso/openSUSE-Leap-15.6-DVD-x86_64-Media.iso | openSUSE-Leap-15.6-DVD-x86_64-Media.iso.sha256.asc openSUSE-Leap-15.6-DVD-x86_64-Media.iso.meta4 | openSUSE-Leap-15.6-DVD-x86_64-Media.iso.sha256:one
        https://download.opensuse.org/tumbleweed/iso/openSUSE-Tumbleweed-DVD-x86_64-Current.iso | openSUSE-Tumbleweed-DVD-x86_64-Current.iso.sha256.asc | openSUSE-Tumbleweed-DVD-x86_64-Current.iso.sha256:one
        https://geo.mirror.pkgbuild.com/iso/2024.07.01/archlinux-2024.07.01-x86_64.iso | archlinux-2024.07.01-x86_64.iso.sig archlinux-2024.07.01-x86_64.iso.torrent b2sums.txt | sha256sums.txt:gnu
        https://dl-cdn.alpinelinux.org/alpine/v3.20/releases/x86_64/alpine-standard-3.20.1-x86_64.iso | alpine-standard-3.20.1-x86_64.iso.asc | alpine-standard-3.20.1-x86_64.iso.sha256:one alpine-standard-3.20.1-x86_64.iso.sha512:one-sha512
        https://download.freebsd.org/releases/amd64/amd64/ISO-IMAGES/14.1/FreeBSD-14.1-RELEASE-amd64-disc1.iso | FreeBSD-14.1-RELEASE-amd64-disc1.iso.xz | CHECKSUM.SHA256-FreeBSD-14.1-RELEASE-amd64:bsd CHECKSUM.SHA512-FreeBSD-14.1-RELEASE-amd64:bsd-sha512
        https://cdn.openbsd.org/pub/OpenBSD/7.5/amd64/install75.iso | INSTALL.amd64 SHA256.sig index.txt BUILDINFO | SHA256:bsd
        https://cdn.netbsd.org/pub/NetBSD/NetBSD-10.0/images/NetBSD-10.0-amd64.iso | NetBSD-10.0-amd64.iso.torrent MD5 | SHA512:bsd-sha512
        https://mirror-master.dragonflybsd.org/iso-images/dfly-x86_64-6.4.0_REL.iso | dfly-x86_64-6.4.0_REL.img | md5.txt:bsd-md5 sha256.txt:bsd
        https://distfiles.gentoo.org/releases/amd64/autobuilds/current/install-amd64-minimal-20240707T170407Z.iso | install-amd64-minimal-20240707T170407Z.iso.CONTENTS.gz install-amd64-minimal-20240707T170407Z.iso.asc | install-amd64-minimal-20240707T170407Z.iso.DIGESTS:gentoo install-amd64-minimal-20240707T170407Z.iso.sha256:one
        https://cdimage.kali.org/kali-2024.2/kali-linux-2024.2-installer-amd64.iso | kali-linux-2024.2-installer-amd64.iso.torrent SHA256SUMS.gpg | SHA256SUMS:gnu SHA1SUMS:gnu-sha1
        https://mirrors.edge.kernel.org/linuxmint/stable/22/linuxmint-22-cinnamon-64bit.iso | linuxmint-22-xfce-64bit.iso | https://mirrors.edge.kernel.org/linuxmint/stable/22/sha256sums.asc:signed
        https://pub.linuxmint.io/stable/22/linuxmint-22-cinnamon-64bit.iso | sha256sum.txt.gpg linuxmint-22-mate-64bit.iso | sha256sum.txt:binary
        https://download.manjaro.org/kde/24.0.3/manjaro-kde-24.0.3-240702-linux69.iso | manjaro-kde-24.0.3-240702-linux69.iso.sig manjaro-kde-24.0.3-240702-linux69.iso.torrent | manjaro-kde-24.0.3-240702-linux69.iso.sha512:one-sha512
        https://channels.nixos.org/nixos-24.05/latest-nixos-minimal-x86_64-linux.iso | - | latest-nixos-minimal-x86_64-linux.iso.sha256:one
        https://releases.nixos.org/nix/nix-2.23.3/nix-2.23.3-x86_64-linux.tar.xz | nix-2.23.3-x86_64-linux.tar.xz.asc | nix-2.23.3-x86_64-linux.tar.xz.sha256:bare
        https://repo-default.voidlinux.org/live/current/void-live-x86_64-20240314-base.iso | sha256sum.sig | sha256sum.txt:bsd
        https://mirrors.slackware.com/slackware/slackware-iso/slackware64-15.0-iso/slackware64-15.0-install-dvd.iso | slackware64-15.0-install-dvd.iso.asc slackware64-15.0-install-dvd.iso.txt | slackware64-15.0-install-dvd.iso.md5:one-md5
        https://downloads.raspberrypi.com/raspios_lite_arm64/images/raspios_lite_arm64-2024-07-04/2024-07-04-raspios-bookworm-arm64-lite.img.xz | 2024-07-04-raspios-bookworm-arm64-lite.img.xz.sig 2024-07-04-raspios-bookworm-arm64-lite.info | 2024-07-04-raspios-bookworm-arm64-lite.img.xz.sha256:one 2024-07-04-raspios-bookworm-arm64-lite.img.xz.sha1:one-sha1
        https://enterprise.proxmox.com/iso/proxmox-ve_8.2-1.iso | proxmox-ve_8.1-2.iso SHA256SUMS.asc | SHA256SUMS:gnu
        https://mirrors.xtom.com/armbian/dl/rock-5b/archive/Armbian_24.5.1_Rock-5b_bookworm.img.xz | Armbian_24.5.1_Rock-5b_bookworm.img.xz.asc Armbian_24.5.1_Rock-5b_bookworm.img.xz.torrent | Armbian_24.5.1_Rock-5b_bookworm.img.xz.sha:one Armbian_24.5.1_Rock-5b_bookworm.img.xz.sha256:one
        https://downloads.openwrt.org/releases/23.05.3/targets/x86/64/openwrt-23.05.3-x86-64-generic-ext4-combined.img.gz | config.buildinfo profiles.json sha256sums.asc sha256sums.sig | sha256sums:binary
        https://fedorapeople.org/groups/virt/virtio-win/direct-downloads/stable-virtio/virtio-win-0.1.248.iso | virtio-win.repo | virtio-win-0.1.248.iso.sha256sum:one
        https://cdn.kernel.org/pub/linux/kernel/v6.x/linux-6.9.7.tar.xz | linux-6.9.7.tar.sign ChangeLog-6.9.7 | sha256sums.asc:signed
        https://www.kernel.org/pub/linux/utils/util-linux/v2.40/util-linux-2.40.1.tar.xz | util-linux-2.40.1.tar.sign | sha256sums.asc:signed
        https://mirrors.edge.kernel.org/pub/software/scm/git/git-2.45.2.tar.xz | git-2.45.2.tar.sign git-manpages-2.45.2.tar.xz | sha256sums.asc:signed
        https://dlcdn.apache.org/httpd/httpd-2.4.62.tar.bz2 | httpd-2.4.62.tar.bz2.asc | https://downloads.apache.org/httpd/httpd-2.4.62.tar.bz2.sha512:binary-sha512
        https://dlcdn.apache.org/kafka/3.7.1/kafka_2.13-3.7.1.tgz | - | https://downloads.apache.org/kafka/3.7.1/kafka_2.13-3.7.1.tgz.sha512:print-sha512
        https://downloads.apache.org/maven/maven-3/3.9.8/binaries/apache-maven-3.9.8-bin.tar.gz | apache-maven-3.9.8-bin.tar.gz.asc | apache-maven-3.9.8-bin.tar.gz.sha512:bare-sha512
        https://archive.apache.org/dist/hadoop/common/hadoop-3.3.6/hadoop-3.3.6.tar.gz | hadoop-3.3.6.tar.gz.asc | hadoop-3.3.6.tar.gz.sha512:bsd-sha512
        https://archive.apache.org/dist/spark/spark-3.5.1/spark-3.5.1-bin-hadoop3.tgz | spark-3.5.1-bin-hadoop3.tgz.asc | spark-3.5.1-bin-hadoop3.tgz.sha512:one-sha512
        https://archive.apache.org/dist/ant/binaries/apache-ant-1.10.14-bin.zip | - | apache-ant-1.10.14-bin.zip.sha512:bare-sha512
        https://mirror.netcologne.example/apache.org/tomcat/tomcat-10/v10.1.25/bin/apache-tomcat-10.1.25.tar.gz | apache-tomcat-10.1.25.tar.gz.asc README.html | apache-tomcat-10.1.25.tar.gz.sha512:binary-sha512
        https://repo1.maven.org/maven2/org/ow2/asm/asm/9.7/asm-9.7.jar | asm-9.7.jar.asc asm-9.7.pom asm-9.7-sources.jar asm-9.7-sources.jar.sha1 | asm-9.7.jar.sha1:bare-sha1 asm-9.7.jar.md5:bare-md5
        https://repo.maven.apache.org/maven2/junit/junit/4.13.2/junit-4.13.2.jar | - | junit-4.13.2.jar.sha256:bare
        https://github.com/cli/cli/releases/download/v2.52.0/gh_2.52.0_linux_amd64.tar.gz | - | https://api.github.com/repos/cli/cli/releases/tags/v2.52.0:release
        https://github.com/BurntSushi/ripgrep/releases/download/14.1.0/ripgrep-14.1.0-x86_64-unknown-linux-musl.tar.gz | - | https://api.github.com/repos/BurntSushi/ripgrep/releases/tags/14.1.0:release
        https://github.com/docker/compose/releases/download/v2.28.1/docker-compose-linux-x86_64 | - | https://api.github.com/repos/docker/compose/releases/tags/v2.28.1:release
        https://github.com/sharkdp/bat/releases/latest/download/bat-v0.24.0-x86_64-unknown-linux-gnu.tar.gz | - | https://api.github.com/repos/sharkdp/bat/releases/latest:release
        https://github.com/ggml-org/llama.cpp/releases/download/b3300/llama-b3300-bin-ubuntu-x64.zip | - | https://api.github.com/repos/ggml-org/llama.cpp/releases/tags/b3300:release
        https://github.com/neovim/neovim/releases/download/v0.10.0/nvim-linux64.tar.gz | - | https://api.github.com/repos/neovim/neovim/releases/tags/v0.10.0:release
        https://files.pythonhosted.org/packages/ab/cd/0123/numpy-2.0.0-cp312-cp312-manylinux_2_17_x86_64.whl | - | https://pypi.org/simple/numpy/:packages
        https://files.pythonhosted.org/packages/ab/cd/0123/torch-2.3.1-cp311-cp311-manylinux1_x86_64.whl | - | https://pypi.org/simple/torch/:packages
        https://files.pythonhosted.org/packages/ab/cd/0123/requests-2.32.3.tar.gz | - | https://pypi.org/simple/requests/:packages
        https://files.pythonhosted.org/packages/ab/cd/0123/scikit_learn-1.5.1-cp312-cp312-win_amd64.whl | - | https://pypi.org/simple/scikit_learn/:packages
        https://files.pythonhosted.org/packages/ab/cd/0123/backports.zoneinfo-0.2.1.tar.gz | - | https://pypi.org/simple/backports.zoneinfo/:packages
        https://nodejs.org/dist/v20.15.0/node-v20.15.0-linux-x64.tar.xz | SHASUMS256.txt.asc SHASUMS256.txt.sig | SHASUMS256.txt:gnu
        https://nodejs.org/dist/latest/node-v22.4.0.tar.gz | - | SHASUMS256.txt:gnu
        https://go.dev/dl/go1.22.5.linux-amd64.tar.gz | - | https://dl.google.com/go/go1.22.5.linux-amd64.tar.gz.sha256:bare
        https://dl.google.com/go/go1.22.5.src.tar.gz | - | go1.22.5.src.tar.gz.sha256:bare
        https://static.rust-lang.org/dist/rust-1.79.0-x86_64-unknown-linux-gnu.tar.xz | - | rust-1.79.0-x86_64-unknown-linux-gnu.tar.xz.sha256:one
        https://releases.hashicorp.com/terraform/1.9.1/terraform_1.9.1_linux_amd64.zip | terraform_1.9.1_SHA256SUMS.sig terraform_1.9.1_SHA256SUMS.72D7468F.sig | terraform_1.9.1_SHA256SUMS:gnu
        https://releases.hashicorp.com/vault/1.17.1/vault_1.17.1_linux_amd64.zip | vault_1.17.1_SHA256SUMS.sig vault_1.17.1_darwin_arm64.zip | vault_1.17.1_SHA256SUMS:gnu
        https://dl.k8s.io/release/v1.30.2/bin/linux/amd64/kubectl | - | kubectl.sha256:bare kubectl.sha512:bare-sha512
        https://get.helm.sh/helm-v3.15.2-linux-amd64.tar.gz | - | helm-v3.15.2-linux-amd64.tar.gz.sha256:bare
        https://dist.torproject.org/torbrowser/13.5/tor-browser-linux-x86_64-13.5.tar.xz | tor-browser-linux-x86_64-13.5.tar.xz.asc sha256sums-signed-build.txt.asc | sha256sums-signed-build.txt:gnu
        https://bitcoincore.org/bin/bitcoin-core-27.1/bitcoin-27.1-x86_64-linux-gnu.tar.gz | SHA256SUMS.asc SHA256SUMS.ots | SHA256SUMS:gnu
        https://ftp.postgresql.org/pub/source/v16.3/postgresql-16.3.tar.bz2 | postgresql-16.3.tar.gz postgresql-16.3.tar.gz.sha256 | postgresql-16.3.tar.bz2.sha256:one postgresql-16.3.tar.bz2.md5:one-md5
        https://archive.mariadb.org/mariadb-11.4.2/source/mariadb-11.4.2.tar.gz | mariadb-11.4.2.tar.gz.asc sha512sums.txt.asc | sha256sums.txt:dot md5sums.txt:dot-md5 sha1sums.txt:dot-sha1
        https://www.openssl.org/source/openssl-3.3.1.tar.gz | openssl-3.3.1.tar.gz.asc openssl-3.3.1.tar.gz.sha1 | openssl-3.3.1.tar.gz.sha256:one
        https://download.blender.org/release/Blender4.2/blender-4.2.0-linux-x64.tar.xz | blender-4.2.0-windows-x64.zip blender-4.2.0.md5 | blender-4.2.0.sha256:gnu
        https://get.jenkins.io/war-stable/2.452.2/jenkins.war | jenkins.war.asc | jenkins.war.sha256:one
        https://services.gradle.org/distributions/gradle-8.8-bin.zip | - | gradle-8.8-bin.zip.sha256:bare
        https://download.eclipse.org/technology/epp/downloads/release/2024-06/R/eclipse-java-2024-06-R-linux-gtk-x86_64.tar.gz | eclipse-java-2024-06-R-linux-gtk-x86_64.tar.gz.md5 | eclipse-java-2024-06-R-linux-gtk-x86_64.tar.gz.sha512:one-sha512
        https://artifacts.elastic.co/downloads/elasticsearch/elasticsearch-8.14.2-linux-x86_64.tar.gz | elasticsearch-8.14.2-linux-x86_64.tar.gz.asc | elasticsearch-8.14.2-linux-x86_64.tar.gz.sha512:one-sha512
        https://dl.grafana.com/oss/release/grafana-11.1.0.linux-amd64.tar.gz | - | grafana-11.1.0.linux-amd64.tar.gz.sha256:bare
        https://mirrors.example.org/prometheus/prometheus-2.53.0.linux-amd64.tar.gz | prometheus-2.53.0.darwin-amd64.tar.gz | sha256sums.txt:gnu
        https://downloads.example.org/etcd/v3.5.14/etcd-v3.5.14-linux-amd64.tar.gz | etcd-v3.5.14-darwin-amd64.zip | SHA256SUMS:gnu
        https://dumps.wikimedia.org/enwiki/20240701/enwiki-20240701-pages-articles.xml.bz2 | enwiki-20240701-pages-articles.xml.bz2-rss.xml | enwiki-20240701-sha1sums.txt:gnu-sha1 enwiki-20240701-md5sums.txt:gnu-md5
        https://planet.openstreetmap.org/pbf/planet-240701.osm.pbf | planet-240701.osm.pbf.torrent | planet-240701.osm.pbf.md5:one-md5
        https://download.geofabrik.de/europe/germany-latest.osm.pbf | germany-updates/ germany.poly | germany-latest.osm.pbf.md5:one-md5
        https://ftp.ncbi.nlm.nih.gov/blast/executables/blast+/2.15.0/ncbi-blast-2.15.0+-x64-linux.tar.gz | ChangeLog | ncbi-blast-2.15.0+-x64-linux.tar.gz.md5:one-md5
        https://download.gnome.org/sources/glib/2.80/glib-2.80.3.tar.xz | glib-2.80.3.news glib-2.80.3.changes | glib-2.80.3.sha256sum:gnu
        https://download.kde.org/stable/plasma/6.1.2/plasma-desktop-6.1.2.tar.xz | plasma-desktop-6.1.2.tar.xz.sig | plasma-desktop-6.1.2.tar.xz.sha256:one
        https://download.documentfoundation.org/libreoffice/stable/24.2.4/deb/x86_64/LibreOffice_24.2.4_Linux_x86-64_deb.tar.gz | LibreOffice_24.2.4_Linux_x86-64_deb.tar.gz.asc | LibreOffice_24.2.4_Linux_x86-64_deb.tar.gz.sha256:one
        https://download.videolan.org/pub/videolan/vlc/3.0.21/vlc-3.0.21.tar.xz | vlc-3.0.21.tar.xz.asc vlc-3.0.21.tar.xz.md5 | vlc-3.0.21.tar.xz.sha256:binary
        https://ftp.gnupg.example/gcrypt/gnupg/gnupg-2.4.5.tar.bz2 | gnupg-2.4.5.tar.bz2.sig | gnupg-2.4.5.tar.bz2.sha256:openssl
        https://downloads.lfs.example/hub/cosign-linux-amd64 | cosign-linux-amd64.pem cosign-linux-amd64.sig cosign_checksums.txt.sig | cosign_checksums.txt:gnu
        https://downloads.haproxy.example/3.0/src/haproxy-3.0.2.tar.gz | haproxy-3.0.2.tar.gz.md5 | haproxy-3.0.2.tar.gz.sha256:one
        https://mirror.example.edu/pub/debian-cd/12.7.0/arm64/iso-dvd/debian-12.7.0-arm64-DVD-1.iso | SHA256SUMS.sign SHA512SUMS.sign | SHA256SUMS:gnu SHA512SUMS:gnu-sha512
        https://mirror.example.edu/ubuntu-releases/24.04/ubuntu-24.04.1-live-server-amd64.iso | SHA256SUMS.gpg | SHA256SUMS:binary
        https://download.nextcloud.com/server/releases/nextcloud-29.0.3.tar.bz2 | nextcloud-29.0.3.tar.bz2.asc nextcloud-29.0.3.tar.bz2.md5 | nextcloud-29.0.3.tar.bz2.sha256:one nextcloud-29.0.3.tar.bz2.sha512:one-sha512
        https://download.samba.example/pub/rsync/src/rsync-3.3.0.tar.gz | rsync-3.3.0.tar.gz.asc | rsync-3.3.0.tar.gz.sha256:upper

        """

    /// Pages without one, and with documents that only look like one.
    private static let unproven = """
        https://julialang-s3.julialang.org/bin/linux/x64/1.10/julia-1.10.4-linux-x86_64.tar.gz | - |
        https://downloads.getmonero.org/cli/monero-linux-x64-v0.18.3.3.tar.bz2 | - |
        https://download.qemu.org/qemu-9.0.1.tar.xz | qemu-9.0.1.tar.xz.sig |
        https://ftp.mozilla.org/pub/firefox/releases/127.0/linux-x86_64/en-US/firefox-127.0.tar.bz2 | firefox-127.0.tar.bz2.asc | firefox-127.0.checksums:path
        https://ftp.gnu.org/gnu/coreutils/coreutils-9.5.tar.xz | coreutils-9.5.tar.xz.sig README |
        https://sqlite.org/2024/sqlite-amalgamation-3460000.zip | - |
        https://host.example/soft404/tool.tar.gz | - | tool.tar.gz.sha256:web
        https://host.example/pages/tool.tar.gz | index.html | SHA256SUMS:web
        https://host.example/others/tool.tar.gz | readme.txt | SHA256SUMS:foreign
        https://host.example/contradiction/tool.tar.gz | b/ a/ | SHA256SUMS:twice
        https://host.example/blake/tool.tar.gz | tool.tar.gz.b2 | b2sums.txt:blake
        https://host.example/words/tool.tar.gz | notes | CHECKSUMS:readme
        https://github.com/old/project/releases/download/v1/tool.tar.gz | - | https://api.github.com/repos/old/project/releases/tags/v1:old
        https://host.example/neighbour/tool.tar.gz | tool.tar.gz.asc other-tool.tar.gz | other-tool.tar.gz.sha256:bare

        """
}
