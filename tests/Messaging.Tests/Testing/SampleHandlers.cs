using System.Collections.Concurrent;
using System.Text.Json.Serialization;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Messaging.Tests.Testing;

internal sealed record Sample(int Number);

[JsonSerializable(typeof(Sample))]
internal sealed partial class SampleJson : JsonSerializerContext;

/// <summary>Reads a sample only from the name <c>number</c>.</summary>
[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.SnakeCaseLower, RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(Sample))]
internal sealed partial class StrictSampleJson : JsonSerializerContext;

/// <summary>A table of uniquely numbered rows that refuses negative numbers.</summary>
internal sealed class SampleTable
{
    private readonly ConcurrentQueue<int> _rows = new();
    private readonly ConcurrentDictionary<int, bool> _numbers = new();

    /// <summary>The rows, in write order.</summary>
    public IReadOnlyList<string> Rows => [.. _rows.Select(row => $"row {row}")];

    public bool Fails { get; set; }

    /// <summary>True for a table without a unique key.</summary>
    public bool AllowsDuplicates { get; init; }

    public void Insert(int number)
    {
        if (Fails)
        {
            throw new TransientException("The table is locked.");
        }

        if (number < 0)
        {
            throw new DeadLetterException("negative-number", $"{number} is below zero.");
        }

        if (AllowsDuplicates || _numbers.TryAdd(number, true))
        {
            _rows.Enqueue(number);
        }
    }
}

internal sealed class InsertSample(SampleTable table) : IMessageHandler<Sample>
{
    public async ValueTask<Settlement> HandleAsync(Sample message, MessageInfo info, CancellationToken cancellationToken)
    {
        await Task.Yield();
        table.Insert(message.Number);
        return Settlement.Complete;
    }
}

internal sealed class InsertSamples(SampleTable table) : IBatchHandler<Sample>
{
    public async ValueTask HandleAsync(MessageBatch<Sample> batch, CancellationToken cancellationToken)
    {
        await Task.Yield();
        for (int i = 0; i < batch.Count; i++)
        {
            try
            {
                table.Insert(batch[i].Number);
                batch.Settle(i, Settlement.Complete);
            }
            catch (DeadLetterException exception)
            {
                batch.Settle(i, Settlement.DeadLetter(exception.Reason, exception.Message));
            }
        }
    }
}

/// <summary>Completes without writing, which the contract must detect.</summary>
internal sealed class ForgetSample : IMessageHandler<Sample>
{
    public ValueTask<Settlement> HandleAsync(Sample message, MessageInfo info, CancellationToken cancellationToken) =>
        ValueTask.FromResult(Settlement.Complete);
}

/// <summary>Stores the row and then forgets to decide.</summary>
internal sealed class UndecidedSample(SampleTable table) : IMessageHandler<Sample>
{
    public ValueTask<Settlement> HandleAsync(Sample message, MessageInfo info, CancellationToken cancellationToken)
    {
        table.Insert(message.Number);
        return default;
    }
}

/// <summary>Forgets to decide about the second delivery of a message, and completes later ones.</summary>
internal sealed class UndecidedRepeat(SampleTable table) : IMessageHandler<Sample>
{
    private readonly ConcurrentDictionary<int, int> _calls = new();

    public ValueTask<Settlement> HandleAsync(Sample message, MessageInfo info, CancellationToken cancellationToken)
    {
        table.Insert(message.Number);
        return new(_calls.AddOrUpdate(message.Number, 1, (_, calls) => calls + 1) == 2 ? default : Settlement.Complete);
    }
}
