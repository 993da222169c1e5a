using System.Text;
using Microsoft.Extensions.DependencyInjection;
using Quayside.Messaging.Hosting;

namespace Messaging.Tests.Testing;

/// <summary>Handlers over a <see cref="SampleTable"/>.</summary>
internal sealed class SampleHarness(Action<IMessageWorkerBuilder> add, SampleTable? table = null) : HandlerHarness
{
    private readonly SampleTable _table = table ?? new SampleTable();

    public override string Handler => "Samples";

    public override IEnumerable<KeyValuePair<string, string?>> Configuration => IsBatch ? [new("Handlers:Samples:MaxAge", "20ms")] : [];

    public bool IsBatch { get; init; }

    public override IReadOnlyList<byte[]> RefusedMessages =>
        ["{\"Number\":-1}"u8.ToArray(), "{\"Number\":-2}"u8.ToArray(), "{\"Number\":\"three\"}"u8.ToArray(), "{"u8.ToArray()];

    public override bool CanFail => true;

    public override void Configure(IMessageWorkerBuilder worker)
    {
        worker.Services.AddSingleton(_table);
        add(worker);
    }

    public override byte[] CreateMessage(int number) => Encoding.UTF8.GetBytes($"{{\"Number\":{number}}}");

    public override Task<IReadOnlyList<string>> ReadEffectsAsync() => Task.FromResult(_table.Rows);

    public override Task SetFailingAsync(bool failing)
    {
        _table.Fails = failing;
        return Task.CompletedTask;
    }
}
