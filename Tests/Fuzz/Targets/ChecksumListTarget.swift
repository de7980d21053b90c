extension Target {
    static let checksumList = Target(name: "checksum-list") { bytes in
        let list = ChecksumList(String(decoding: bytes, as: UTF8.self))
        for entry in list.entries {
            let checksum = entry.checksum
            require(!entry.name.isEmpty, "an entry without a name")
            require(checksum.hexadecimal.utf8.count == 2 * checksum.algorithm.length, "\(checksum)")
            require((try? Checksum(parsing: checksum.description)) == checksum, "\(checksum)")
            let again = ChecksumList(entry.description).entries
            require(again == [entry] && isSame(again[0].name, entry.name), "'\(entry)' gives \(again)")
        }
        let text = list.entries.map(\.description).joined(separator: "\n")
        require(ChecksumList(text).entries == list.entries, "the list is read back differently")
    }
}
