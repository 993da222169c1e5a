using Quayside.Pipeline.Messages;

namespace Quayside.Messaging.Publishing;

/// <summary>Refuses an answer that does not cover every message: a redrive deletes what counts as sent.</summary>
/// <param name="sender">The sender; owned by this object.</param>
/// <param name="name">Its name for <c>publish --to</c>.</param>
internal sealed class CheckedSender(IMessageSender sender, string name) : IMessageSender
{
    public string Target => sender.Target;

    public string Accepted => sender.Accepted;

    public MessageDestination? Destination => sender.Destination;

    public int Concurrency => sender.Concurrency;

    public int BatchSize => sender.BatchSize;

    public bool SendsGroups => sender.SendsGroups;

    public bool SendsDeduplicationIds => sender.SendsDeduplicationIds;

    public string? Problem => sender.Problem;

    public bool HasNoSuchRoute => sender.HasNoSuchRoute;

    public string? CheckAttribute(string name, string value) => sender.CheckAttribute(name, value);

    public async Task<string?[]> SendAsync(IReadOnlyList<OutgoingMessage> messages, CancellationToken cancellationToken)
    {
        Task<string?[]>? sending = sender.SendAsync(messages, cancellationToken);
        string?[]? answers = sending is null ? null : await sending;
        if (answers?.Length == messages.Count)
        {
            return answers;
        }

        string defect = $"the sender {name} ({sender.GetType().FullName}) returned {(answers is null ? "null" : $"{answers.Length} answers")} from SendAsync "
            + $"for {messages.Count} message(s), so they may not have been sent; it must return one answer per message.";
        return [.. messages.Select(_ => defect)];
    }

    public void Dispose() => sender.Dispose();
}
