namespace Quayside.Messaging.Aws;

/// <summary>
/// The two repetitions of a refused request: one with a corrected clock, one with new credentials. Created for the attempts of one request.
/// Threads: one at a time.
/// </summary>
/// <param name="credentials">The source of the request's keys.</param>
/// <param name="clock">The clock of the request's signature; null for that of AWSSDK, which corrects itself.</param>
internal sealed class SignatureRecovery(AwsCredentialSource credentials, AwsClock? clock)
{
    private bool _clockCorrected;
    private bool _credentialsRefreshed;

    /// <summary>Removes the cause of the refusal, if that is possible and was not tried before. A <paramref name="serverTime"/> corrects the clock.</summary>
    /// <returns>True when the request should be signed and sent again.</returns>
    /// <exception cref="AwsServiceException">There are no new credentials.</exception>
    public async ValueTask<bool> TryAsync(AwsErrorKind kind, DateTimeOffset? serverTime, SigningCredentials used, CancellationToken cancellationToken)
    {
        if (kind == AwsErrorKind.ClockSkew && !_clockCorrected && (clock is null || serverTime is not null))
        {
            _clockCorrected = true;
            clock?.Correct(serverTime!.Value);
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
