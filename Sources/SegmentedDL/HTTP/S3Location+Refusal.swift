extension S3Location {
    /// Returns the error of a request for the object, with a remedy if the store refuses a request that was
    /// not signed. Without permission to list the bucket, stores also refuse missing objects in this way.
    package func explained(_ error: DownloadError) -> DownloadError {
        guard error.code == .httpStatus, error.status == 403 else { return error }
        // Its text names the reasons.
        if case .signatureRefused? = error.cause as? TransferFailure { return error }
        return error.advising(
            "the store refuses the request, which is not signed. Check the key; if the object is not public, set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or specify a profile (s3://PROFILE@BUCKET/KEY), and do not give --no-sign-request.",
            about: text, by: "The store")
    }
}
