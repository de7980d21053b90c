/// The format of a list of files.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum ListFormat: String, Sendable, Hashable, CaseIterable {
    /// aria2's input file: a line of URLs, separated by tabs, followed by indented lines with options.
    ///
    /// The URLs are sources of one file. `dir` and `out` form its path below the mirror's root; without `out`
    /// the name is the last component of the URL. `checksum` is `sha-256=HEX` and similar; `header`,
    /// `referer` and `user-agent` are sent with the requests. Options that only affect aria2's transfers
    /// (`split`, `max-tries` and others) are ignored; any other option makes the entry unusable.
    case urls
    /// One JSON object per line: `url` (a string, or an array of strings), `path`, `size` in bytes, `digest`
    /// (`sha256=HEX`, or an array of these), or the digest in hexadecimal under the algorithm's name
    /// (`sha256` and so on); `etag`, `last_modified` (an HTTP date) and `header` (`NAME: VALUE`, or an array
    /// of these). Other keys are ignored.
    case jsonLines
    /// Columns, separated by tabs: URL (or several, separated by spaces), path, size in bytes, digest
    /// (`sha256=HEX`, or hexadecimal whose length determines the algorithm). All but the first may be empty
    /// or missing. If the first line contains a column `url`, it is a header with the names of the columns,
    /// in any order.
    case tabSeparated
    /// Digests and names, in the formats of `sha256sum` and the BSD tools (`ChecksumList`). Names are
    /// relative to the list's URL.
    case checksums
    /// Metalink, 4 (RFC 5854) or 3.
    case metalink
}
