internal import SystemPackage

/// The spelling of a path on a file system that takes several spellings for one name, as `makefile` for
/// `Makefile`.
package enum ListedName {
    /// Returns the path of a file as its directories list it, if that is another than the given one; `nil` if
    /// there is no such file, or it has this very path. Blocks.
    package static func other(of path: FilePath) -> FilePath? {
        guard (try? SystemCalls.status(path)) != nil else { return nil }
        var rest = path
        var names: [FilePath.Component] = []
        while let name = rest.lastComponent {
            rest = rest.removingLastComponent()
            names.append(name.kind == .regular ? spelling(of: name, in: rest) ?? name : name)
        }
        var listed = rest
        for name in names.reversed() { listed.append(name) }
        return listed == path ? nil : listed
    }

    /// Returns the name by which a directory lists a file that has another name too; `nil` if it lists this
    /// one, as every directory does that tells capital letters from small ones.
    private static func spelling(
        of name: FilePath.Component, in directory: FilePath
    ) -> FilePath.Component? {
        let directory = directory.isEmpty ? FilePath(".") : directory
        guard let own = try? SystemCalls.status(directory.appending(name)) else { return nil }
        // Of all names, only one with the letters turned can be asked for: what it finds tells if the
        // directory has to be read.
        let turned = FilePath.Component(turned(name.string))
        if let turned, turned != name {
            guard let other = try? SystemCalls.status(directory.appending(turned)),
                other.inode == own.inode, other.device == own.device
            else { return nil }
        } else if name.string.utf8.allSatisfy({ $0 < 0x80 }) {
            return nil
        }
        return listed(name, in: directory)
    }

    private static func turned(_ name: String) -> String {
        String(name.map { $0.isUppercase ? $0.lowercased() : $0.uppercased() }.joined())
    }

    private static func listed(_ name: FilePath.Component, in directory: FilePath) -> FilePath.Component? {
        guard let open = try? FileDescriptor.open(directory, .readOnly, options: [.closeOnExec]) else {
            return nil
        }
        defer { try? open.close() }
        var found: String?
        var isListed = false
        try? SystemCalls.forEachName(in: open) { listed in
            guard let listed, !isListed else { return }
            if listed.utf8.elementsEqual(name.string.utf8) {
                isListed = true
            } else if found == nil, listed.lowercased() == name.string.lowercased() {
                found = listed
            }
        }
        return isListed ? nil : found.flatMap { FilePath.Component($0) }
    }
}
