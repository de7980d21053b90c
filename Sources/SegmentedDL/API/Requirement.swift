/// - Throws: `DownloadError` with code `invalidSetting` unless a condition is met.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(DownloadError) {
    guard condition else { throw DownloadError(.invalidSetting, message()) }
}
