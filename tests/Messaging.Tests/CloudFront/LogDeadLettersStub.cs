using Quayside.Messaging.Sinks;

namespace Messaging.Tests.CloudFront;

/// <summary>Throws on every rejection, for tests without rejections.</summary>
internal sealed class LogDeadLettersStub : IDocumentRejections
{
    public ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken) =>
        throw new InvalidOperationException($"{rejection} was not expected.");
}
