using System.Diagnostics.CodeAnalysis;

namespace Messaging.Tests.AzureServiceBus;

/// <summary>Compares calls by value; records compare their collections by reference.</summary>
internal sealed class BusCallComparer : IEqualityComparer<BusCall>
{
    public bool Equals(BusCall? x, BusCall? y) => Text(x) == Text(y);

    public int GetHashCode([DisallowNull] BusCall obj) => Text(obj).GetHashCode(StringComparison.Ordinal);

    private static string Text(BusCall? call) =>
        call is null ? string.Empty : $"{call.Operation} {call.MessageId} {call.Delivery} {string.Join(',', call.Properties)}";
}
