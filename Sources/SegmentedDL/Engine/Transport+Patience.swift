extension Transport {
    /// The timeouts of a silent connection.
    var patience: SilenceWatch.Patience {
        let bytes = lowSpeedLimit > 0 && lowSpeedTime > .zero ? lowSpeedTime.seconds : nil
        let answer = firstByteTimeout.map { $0 > .zero ? $0.seconds : nil } ?? bytes
        return SilenceWatch.Patience(
            connection: connectTimeout.seconds, answer: answer, bytes: bytes,
            hasOwnAnswer: firstByteTimeout != nil)
    }
}
