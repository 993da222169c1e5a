using Quayside.Pipeline.Buffers;
using Quayside.Pipeline.Messages;
using Quayside.Pipeline.Settlements;

namespace Quayside.Messaging.Unwrapping;

/// <summary>
/// One message while an <see cref="IEnvelope"/> takes its content out. Pooled: never kept beyond the call. Threads: one at a time.
/// </summary>
public sealed class EnvelopeReading
{
    /// <summary>The reason of a message whose content is larger than <see cref="MaxBytes"/>.</summary>
    public const string TooLargeReason = "too-large";

    /// <summary>The reason of a message that holds more messages than <c>Unwrapping:MaxElements</c>.</summary>
    public const string TooManyElementsReason = "too-many-elements";

    // A message with more elements than this leaves its list to the garbage collector.
    private const int MaxKeptCapacity = 1_024;

    private List<ReadOnlyMemory<byte>> _elements = [];
    private ReceivedMessage? _message;
    private PooledBuffer? _buffer;
    private int _maxElements;

    internal EnvelopeReading()
    {
    }

    /// <summary>The message in its envelope. A borrow, which the receiver settles.</summary>
    public ReceivedMessage Message => _message ?? throw new InvalidOperationException("The message is finished.");

    /// <summary>Its bytes.</summary>
    public ReadOnlyMemory<byte> Body => Message.Body;

    /// <summary>The largest content, in bytes: <c>Stages:MaxMessageBytes</c>. Stop reading a compressed body beyond it.</summary>
    public int MaxBytes { get; private set; }

    /// <summary>An empty buffer for the content, which lives until the message is settled. Each call returns the same one.</summary>
    public PooledBuffer Buffer => _buffer ??= BufferPool.Shared.Rent();

    /// <summary>True after the first call of <see cref="AddElement"/>.</summary>
    public bool HasElements => _elements.Count > 0;

    internal ReadOnlyMemory<byte>? Content { get; private set; }

    internal IReadOnlyList<ReadOnlyMemory<byte>> Elements => _elements;

    internal bool IsSplit { get; private set; }

    internal Settlement Refusal { get; private set; }

    internal bool IsUnrecognized { get; private set; }

    /// <summary>The message holds one message.</summary>
    /// <param name="content">Its bytes: a part of <see cref="Body"/> or of <see cref="Buffer"/>, or bytes that do not change before the message is
    /// settled.</param>
    public void SetContent(ReadOnlyMemory<byte> content)
    {
        if (content.Length > MaxBytes)
        {
            RefuseTooLarge();
            return;
        }

        Content = content;
    }

    /// <summary>The message holds several messages, none with an empty list.</summary>
    public void Split() => IsSplit = true;

    /// <summary>The message holds this message, beside those added before.</summary>
    /// <param name="content">As for <see cref="SetContent"/>.</param>
    /// <returns>False when it is one too many: the message is then refused.</returns>
    public bool AddElement(ReadOnlyMemory<byte> content)
    {
        Split();
        if (_elements.Count == _maxElements)
        {
            Refuse(TooManyElementsReason,
                $"The message holds more than {_maxElements} messages ({UnwrappingOptions.Section}:{nameof(UnwrappingOptions.MaxElements)}).");
            return false;
        }

        _elements.Add(content);
        return true;
    }

    /// <summary>The message is in the envelope, but damaged: it becomes a dead letter, whole.</summary>
    /// <param name="reason">A stable kebab-case code, such as <c>gzip-damaged</c>.</param>
    /// <param name="description">What is wrong and at which byte; for people, without any content.</param>
    public void Refuse(string reason, string description) => Refuse(Settlement.DeadLetter(reason, description));

    /// <summary>The content cannot be had, by a service's fault for example.</summary>
    /// <param name="settlement">A decided settlement, other than Complete.</param>
    public void Refuse(in Settlement settlement) => Refusal = settlement;

    /// <summary>The message is not in this envelope: a dead letter, or processed as it is (<c>Unwrapping:Unrecognized</c>).</summary>
    /// <param name="reason">As for <see cref="Refuse(string, string)"/>, such as <c>not-an-sns-envelope</c>.</param>
    /// <param name="description">As for <see cref="Refuse(string, string)"/>.</param>
    public void RefuseUnrecognized(string reason, string description)
    {
        IsUnrecognized = true;
        Refuse(reason,
            $"{description} Where messages without this envelope are right, set {UnwrappingOptions.Section}:{nameof(UnwrappingOptions.Unrecognized)}="
                + $"{UnrecognizedRule.Pass}; otherwise check the route's Envelope.");
    }

    /// <summary>The content is larger than <see cref="MaxBytes"/>.</summary>
    public void RefuseTooLarge() =>
        Refuse(TooLargeReason, $"The content of the envelope has more than {MaxBytes} bytes, which Stages:MaxMessageBytes allows.");

    internal void Open(ReceivedMessage message, int maxBytes, int maxElements)
    {
        _message = message;
        MaxBytes = maxBytes;
        _maxElements = maxElements;
    }

    internal void Reset()
    {
        _message = null;
        _buffer?.Dispose();
        _buffer = null;
        Content = null;
        IsSplit = false;
        IsUnrecognized = false;
        Refusal = default;
        _elements.Clear();
        if (_elements.Capacity > MaxKeptCapacity)
        {
            _elements = [];
        }
    }
}
