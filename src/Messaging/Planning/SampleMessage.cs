using System.Text;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Planning;

/// <summary>A message that no source delivered, for commands that explain what a route does with it. Settling it does nothing.</summary>
/// <param name="body">Its bytes.</param>
/// <param name="id">The id that a source would know it by.</param>
/// <param name="attributes">Its attributes; null for none.</param>
/// <param name="group">Its group; null for none.</param>
/// <param name="enqueuedAt">When it entered its source; null when the source would not know.</param>
internal sealed class SampleMessage(
    byte[] body, string id, IReadOnlyList<KeyValuePair<string, string>>? attributes = null, string? group = null,
    DateTimeOffset? enqueuedAt = null) : ReceivedMessage
{
    /// <summary>The id of a message that is given without its source id.</summary>
    public const string UnknownId = "source-id";

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> Body { get; } = body;

    /// <inheritdoc/>
    public override ReadOnlyMemory<byte> SourceId { get; } = Encoding.UTF8.GetBytes(id);

    /// <inheritdoc/>
    public override DateTimeOffset? EnqueuedAt { get; } = enqueuedAt;

    /// <inheritdoc/>
    public override IReadOnlyList<KeyValuePair<string, string>> Attributes { get; } = attributes ?? [];

    /// <inheritdoc/>
    public override string? Group { get; } = group;

    /// <summary><see cref="SourceId"/> as text.</summary>
    public string GetSourceIdString() => Encoding.UTF8.GetString(SourceId.Span);

    /// <summary>A copy of a message as a part of a route sees it.</summary>
    internal static SampleMessage Of(ReceivedMessage message) =>
        new(message.Body.ToArray(), Encoding.UTF8.GetString(message.SourceId.Span), [.. message.Attributes], message.Group, message.EnqueuedAt);

    /// <inheritdoc/>
    protected override ValueTask SettleCoreAsync(Settlement settlement, CancellationToken cancellationToken) => default;
}
