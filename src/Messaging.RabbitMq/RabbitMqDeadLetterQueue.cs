using Quayside.Messaging.DeadLetters;
using Quayside.Messaging.DeadLetters.Redrive;
using Quayside.Messaging.Telemetry;
using Quayside.Pipeline.Settlements;
using RabbitMQ.Client;

namespace Quayside.Messaging.RabbitMq;

/// <summary>The dead-letter queue of a queue of RabbitMQ for a redrive. What it received and did not acknowledge, the broker requeues when it closes.</summary>
/// <param name="connection">The connection; owned by this object.</param>
/// <param name="options">The queue.</param>
/// <param name="time">The clock.</param>
internal sealed class RabbitMqDeadLetterQueue(IConnection connection, RabbitMqSourceOptions options, TimeProvider time) : IDeadLetterQueue
{
    private readonly HashSet<string> _sent = new(StringComparer.Ordinal);
    private IChannel? _letters;
    private IChannel? _queue;
    private uint _held;
    private uint _received;

    public string HiddenUntil => "its connection ends";

    /// <summary>Others may take any of them.</summary>
    public async ValueTask<(long Count, long Hidden)> CountAsync(CancellationToken cancellationToken)
    {
        _letters = await connection.CreateChannelAsync(cancellationToken: cancellationToken);
        _queue = await connection.CreateConfirmingChannelAsync(cancellationToken);
        _held = await _letters.MessageCountAsync(options.DeadLetters, cancellationToken);
        return (_held, _held);
    }

    /// <summary>
    /// In their order: after those that were there at the start, as many that came later as a redrive takes to see which of them it has sent.
    /// </summary>
    public async ValueTask<IReadOnlyList<QueuedDeadLetter>?> ReceiveAsync(CancellationToken cancellationToken) =>
        _received < _held + DeadLetterMover.MaxNewcomers(_held)
        && await _letters!.BasicGetAsync(options.DeadLetters, autoAck: false, cancellationToken) is { } letter ? [Letter(letter)] : null;

    public async ValueTask<SentTo> SendBackAsync(QueuedDeadLetter letter, CancellationToken cancellationToken)
    {
        BasicGetResult message = MessageOf(letter);
        await _queue!.BasicPublishAsync(
            string.Empty, options.Queue, mandatory: true, RabbitMqHeaders.Redriven(message.BasicProperties), message.Body, cancellationToken);
        _sent.Add(letter.Name);
        return SentTo.Queue;
    }

    public ValueTask DeleteAsync(QueuedDeadLetter letter, CancellationToken cancellationToken) =>
        _letters!.BasicAckAsync(MessageOf(letter).DeliveryTag, multiple: false, CancellationToken.None);

    public DeadLetter Describe(QueuedDeadLetter letter)
    {
        BasicGetResult message = MessageOf(letter);
        return RabbitMqHeaders.FindWithoutText(message.BasicProperties) is { } header
            ? throw new DeadLetterException(
                DeadLetter.Unspecified,
                $"its header {UntrustedText.Shorten(header)} is a table or a list, which the folder cannot keep. Redrive it to the queue, without --to folder")
            : RabbitMqHeaders.Record(message.BasicProperties, IdOf(message), letter.Reason ?? string.Empty, time.GetUtcNow());
    }

    public QueueFault? Explain(Exception exception) =>
        RabbitMqFault.IsOne(exception) ? new(RabbitMqFault.TextOf(exception), RabbitMqFault.Of(exception).ToStartupException(options)) : null;

    public async ValueTask DisposeAsync() => await RabbitMqBroker.CloseAsync(connection);

    private QueuedDeadLetter Letter(BasicGetResult letter)
    {
        string name = UntrustedText.Shorten(IdOf(letter));

        // Those that were there at the start come first. Later ones may have the id of another one that was there.
        bool isNewcomer = ++_received > _held;
        return new QueuedDeadLetter(
            $"{letter.DeliveryTag}", name,
            RabbitMqHeaders.Find(letter.BasicProperties, RabbitMqHeaders.Reason) ?? RabbitMqHeaders.Find(letter.BasicProperties, "x-first-death-reason"),
            letter)
        {
            Description = RabbitMqHeaders.Find(letter.BasicProperties, RabbitMqHeaders.Description),
            Body = letter.Body,
            BodyLength = letter.Body.Length,
            SentAs = isNewcomer && _sent.Contains(name) ? name : null,
            IsNewcomer = isNewcomer,
        };
    }

    private static string IdOf(BasicGetResult letter)
    {
        if (letter.BasicProperties.MessageId is { Length: > 0 } id)
        {
            return id;
        }

        Span<byte> made = stackalloc byte[Sources.ContentId.Length];
        Sources.ContentId.Write(letter.Body.Span, made);
        return System.Text.Encoding.ASCII.GetString(made);
    }

    private static BasicGetResult MessageOf(QueuedDeadLetter letter) => (BasicGetResult)letter.Message!;
}
