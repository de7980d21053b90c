/// How a list of files is written.
public enum ListFormat: String, Sendable, Hashable, CaseIterable {
    /// aria2's input file: a line of URLs with tabs between them, then indented lines with options.
    ///
    /// The URLs are sources of one file. `dir` and `out` make its path, below the mirror's root; without `out` it is
    /// called as its URL's path ends. `checksum` is `sha-256=HEX` and the like; `header`, `referer` and `user-agent`
    /// are sent along. Options that only say how aria2 is to transfer are left out (`split`, `max-tries` and others,
    /// see `docs/mirror-lists.md`); all others make the entry unusable.
    case urls
    /// A JSON object a line: `url` (a text, or several in an array), `path`, `size` in bytes, `digest`
    /// (`sha256=HEX`, or an array of such), or the digest's hexadecimal under the algorithm's name (`sha256` and so
    /// on); `etag`, `last_modified` (an HTTP date) and `header` (`NAME: VALUE`, or an array of such). Other keys are left out.
    case jsonLines
    /// Columns with tabs between them: URL (or several with blanks between them), path, size in bytes, digest
    /// (`sha256=HEX`, or hexadecimal whose length tells). All but the first may be empty or missing. A first line
    /// that begins with `url` names the columns, in any order.
    case tabSeparated
    /// Digests and names, as `sha256sum` and BSD's tools write them (`ChecksumList`). Names are relative to the
    /// list's URL.
    case checksums
    /// Metalink 4 (RFC 5854).
    case metalink
}
