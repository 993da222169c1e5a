using System.Text.Json;

namespace Messaging.Tests.Aws.Sqs;

/// <summary>An answer of a <see cref="FakeQueue"/> that replaces the usual one.</summary>
/// <param name="Status">The HTTP status; 0 resets the connection without an answer.</param>
/// <param name="Body">The answer's body; null for the usual answer.</param>
internal sealed record QueueAnswer(int Status, string? Body)
{
    /// <summary>The request arrived and may have been carried out; its answer is lost.</summary>
    public static readonly QueueAnswer Lost = new(0, null);

    /// <summary>Never answers; the connection stays open.</summary>
    public static readonly QueueAnswer Hang = new(200, null) { Gate = Task.Delay(Timeout.Infinite) };

    public static readonly QueueAnswer InternalError = Error(500, "InternalError");

    /// <summary>A task that the answer waits for.</summary>
    public Task Gate { get; init; } = Task.CompletedTask;

    public string? RetryAfter { get; init; }

    public static QueueAnswer Error(int status, string code) => new(status, $$"""{"__type":"com.amazonaws.sqs#{{code}}","message":"scripted"}""");

    /// <summary>The usual answer, later.</summary>
    public static QueueAnswer After(Task gate) => new(200, null) { Gate = gate };

    /// <summary>A batch answer in which these entries failed and the others succeeded.</summary>
    public static QueueAnswer Failing(QueueCall call, string code, bool senderFault, Func<string, bool> fails)
    {
        string[] handles = call.Handles;
        return new QueueAnswer(200, JsonSerializer.Serialize(new
        {
            Successful = handles.Index().Where(entry => !fails(entry.Item)).Select(entry => new { Id = $"{entry.Index}" }),
            Failed = handles.Index().Where(entry => fails(entry.Item))
                .Select(entry => new { Id = $"{entry.Index}", Code = code, Message = "scripted", SenderFault = senderFault }),
        }));
    }
}
