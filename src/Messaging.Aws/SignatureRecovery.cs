namespace Messaging.Aws;

/// <summary>
/// The two second chances of one refused request: once with a corrected clock, once with other credentials. Made on the first
/// refusal and used for the attempts of that one request; threads: one at a time.
/// </summary>
internal sealed class SignatureRecovery(AwsClock clock, AwsCredentialSource credentials)
{
    private bool _clockCorrected;
    private bool _credentialsRefreshed;

    /// <summary>Removes the cause of the refusal where that is possible and was not tried before.</summary>
    /// <param name="kind">What the service objected to.</param>
    /// <param name="serverTime">The answer's Date header; without one a clock cannot be corrected.</param>
    /// <param name="used">The credentials of the refused attempt.</param>
    /// <param name="cancellationToken">Ends waiting for new credentials.</param>
    /// <returns>True when the request should be signed and sent again.</returns>
    /// <exception cref="AwsServiceException">New credentials could not be had.</exception>
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
