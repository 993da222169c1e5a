namespace Messaging.Aws;

/// <summary>
/// The two retries of a refused request: one with a corrected clock, one with new credentials. Created on the first refusal and used for
/// the attempts of that request only. Threads: one at a time.
/// </summary>
internal sealed class SignatureRecovery(AwsClock clock, AwsCredentialSource credentials)
{
    private bool _clockCorrected;
    private bool _credentialsRefreshed;

    /// <summary>Removes the cause of the refusal, if that is possible and was not tried before. The clock needs a <paramref name="serverTime"/>.</summary>
    /// <returns>True when the request should be signed and sent again.</returns>
    /// <exception cref="AwsServiceException">There are no new credentials.</exception>
    public async ValueTask<bool> TryAsync(AwsErrorKind kind, DateTimeOffset? serverTime, SigningCredentials used, CancellationToken cancellationToken)
    {
        if (kind == AwsErrorKind.ClockSkew && !_clockCorrected && serverTime is { } time)
        {
            _clockCorrected = true;
            clock.Correct(time);
            return true;
        }

        if (kind == AwsErrorKind.ExpiredCredentials && !_credentialsRefreshed)
        {
            _credentialsRefreshed = true;
            return await credentials.RefreshAsync(used, cancellationToken);
        }

        return false;
    }
}
