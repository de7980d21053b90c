extension Target {
    static let checksumList = Target(name: "checksum-list") { bytes in
        let list = ChecksumList(String(decoding: bytes, as: UTF8.self))
        for entry in list.entries {
            let checksum = entry.checksum
            promise(!entry.name.isEmpty, "an entry without a name")
            promise(checksum.hexadecimal.utf8.count == 2 * checksum.algorithm.length, "\(checksum)")
            promise((try? Checksum(parsing: checksum.description)) == checksum, "\(checksum)")
            let again = ChecksumList(entry.description).entries
            promise(again == [entry] && isSame(again[0].name, entry.name), "'\(entry)' gives \(again)")
        }
        let text = list.entries.map(\.description).joined(separator: "\n")
        promise(ChecksumList(text).entries == list.entries, "the list is read back differently")
    }
}
