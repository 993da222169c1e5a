namespace Shared.ServiceBus;

/// <summary>How a message is settled.</summary>
/// <param name="Operation">Complete, Abandon or DeadLetter.</param>
/// <param name="Reason">Of a dead letter.</param>
/// <param name="Description">Of a dead letter.</param>
/// <param name="Properties">What a dead letter is given.</param>
internal sealed record FakeSettlement(string Operation, string Reason, string Description, IDictionary<string, object> Properties)
{
    public static readonly FakeSettlement Complete = new(nameof(Complete), string.Empty, string.Empty, new Dictionary<string, object>(StringComparer.Ordinal));

    public static readonly FakeSettlement Abandon = Complete with { Operation = nameof(Abandon) };
}
