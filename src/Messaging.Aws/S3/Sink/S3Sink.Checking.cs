using Quayside.Messaging.Configuration;

namespace Quayside.Messaging.Aws.S3.Sink;

/// <content>The check at start: lists one key.</content>
internal sealed partial class S3Sink
{
    private bool _isClientLogged;
    private bool _isUnconditionalLogged;
    private bool _isUncheckedLogged;
    private volatile string? _problem;

    public string? Problem => _problem;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (_client is { } client && !_isClientLogged)
        {
            _isClientLogged = true;
            _logger.LogClient(_route.Value as string, client.Text);
        }

        if (!_conditional && !_isUnconditionalLogged)
        {
            _isUnconditionalLogged = true;
            _logger.LogUnconditional();
        }

        S3Fault fault;
        try
        {
            fault = await _requests.ListAsync(_attemptTimeout, cancellationToken);
            if (fault.Kind is AwsErrorKind.Transient or AwsErrorKind.Throttled)
            {
                fault = await _requests.ListAsync(_attemptTimeout, cancellationToken);
            }
        }
        catch (AwsServiceException exception)
        {
            throw new StartupException($"The bucket '{_bucket}' cannot be used. {exception.Message}", ExitCodes.NoPermission, exception);
        }

        Judge(fault);
    }

    private void Judge(in S3Fault fault)
    {
        string what = $"{fault.Describe(S3Operations.List)}. {S3Advice.For(fault, S3Operations.List, _bucket)}{S3Advice.ForClient(fault, _client)}";
        switch (fault.Kind, fault.Code)
        {
            case (AwsErrorKind.None, _):
                _problem = null;
                return;

            case (AwsErrorKind.ClockSkew or AwsErrorKind.ExpiredCredentials, _):
            case (_, "InvalidAccessKeyId" or "SignatureDoesNotMatch" or "InvalidToken" or "AllAccessDisabled"):
                throw new StartupException(what, ExitCodes.NoPermission);

            case (_, "NoSuchBucket" or "NotFound"):
                throw new StartupException(what);

            case (AwsErrorKind.Refused, _) when fault.IsWrongRegion:
                throw new StartupException(what, ExitCodes.Configuration);

            case (AwsErrorKind.Refused, _) when fault.Status is < 300 or >= 400 && !fault.IsForeign:
                // A worker that may put objects may lack s3:ListBucket.
                _problem = null;
                if (!_isUncheckedLogged)
                {
                    _isUncheckedLogged = true;
                    _logger.LogUnchecked(_bucket, what);
                }

                return;

            default:
                string failure = fault.Describe(S3Operations.List);
                string state = fault.IsForeign ? "is not at its endpoint" : "is unreachable";
                if (_problem is null)
                {
                    _logger.LogUnreachable(_bucket, state, failure);
                }

                _problem = $"The bucket '{_bucket}' {state}: {failure}.";
                return;
        }
    }
}
