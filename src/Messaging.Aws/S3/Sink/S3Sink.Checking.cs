using Messaging.Configuration;

namespace Messaging.Aws.S3.Sink;

/// <content>The check at start: lists one key.</content>
internal sealed partial class S3Sink
{
    private bool _isUnconditionalLogged;
    private bool _isUncheckedLogged;
    private volatile string? _problem;

    public string? Problem => _problem;

    public async Task CheckAsync(CancellationToken cancellationToken)
    {
        if (!_conditional && !_isUnconditionalLogged)
        {
            _isUnconditionalLogged = true;
            _logger.LogUnconditional();
        }

        S3Fault fault;
        try
        {
            // Once more for each kind of fault that may pass: a late answer must not hide that the clock can be corrected.
            HashSet<S3FaultKind> met = [];
            do
            {
                fault = await _requests.ListAsync(_attemptTimeout, cancellationToken);
            }
            while (met.Add(fault.Kind)
                && (fault.Kind is S3FaultKind.Transient or S3FaultKind.ClockSkew
                    || (fault.Kind == S3FaultKind.ExpiredCredentials && await _requests.RefreshCredentialsAsync(fault, _attemptTimeout, cancellationToken))));
        }
        catch (AwsServiceException exception)
        {
            throw new StartupException($"The bucket '{_bucket}' cannot be used. {exception.Message}", ExitCodes.NoPermission, exception);
        }

        Judge(fault);
    }

    private void Judge(in S3Fault fault)
    {
        string what = $"{fault.Describe(S3Operations.List)}. {S3Advice.For(fault, S3Operations.List, _bucket)}";
        switch (fault.Kind, fault.Code)
        {
            case (S3FaultKind.None, _):
                _problem = null;
                return;

            case (S3FaultKind.ClockSkew or S3FaultKind.ExpiredCredentials, _):
            case (_, "InvalidAccessKeyId" or "SignatureDoesNotMatch" or "InvalidToken" or "AllAccessDisabled"):
                throw new StartupException(what, ExitCodes.NoPermission);

            case (_, "NoSuchBucket" or "NotFound"):
                throw new StartupException(what);

            case (S3FaultKind.Refused, _) when fault.IsElsewhere:
                throw new StartupException(what, ExitCodes.Configuration);

            case (S3FaultKind.Refused, _) when fault.Status is < 300 or >= 400:
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
                if (_problem is null)
                {
                    _logger.LogUnreachable(_bucket, failure);
                }

                _problem = $"The bucket '{_bucket}' cannot be reached: {failure}.";
                return;
        }
    }
}
