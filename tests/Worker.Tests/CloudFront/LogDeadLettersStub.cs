using Messaging.Sinks;

namespace Worker.Tests.CloudFront;

/// <summary>Refuses every rejection: for tests in which none may come.</summary>
internal sealed class LogDeadLettersStub : IDocumentRejections
{
    public ValueTask RejectAsync(DocumentRejection rejection, CancellationToken cancellationToken) => throw new InvalidOperationException($"{rejection} was not expected.");
}
