/// Checks a condition on a setting.
///
/// - Throws: `DownloadError` with code `invalidSetting` and the message if the condition is false.
package func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(DownloadError) {
    guard condition else { throw DownloadError(.invalidSetting, message()) }
}
