using System.Text.Json;
using Npgsql;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Samples.Postgres;

namespace Samples.Tests;

/// <summary>InsertClicks with a real table.</summary>
internal sealed class ClicksHarness(NpgsqlDataSource database)
    : TableHarness(database, "SELECT id::text FROM clicks WHERE page = $1", $"/{Guid.NewGuid():n}")
{
    public override string Handler => "Clicks";

    public override IEnumerable<KeyValuePair<string, string?>> Configuration =>
        [new("Handlers:Clicks:MaxMessages", "20"), new("Handlers:Clicks:MaxAge", "50ms")];

    /// <summary>A page that violates the table's constraint, and one that PostgreSQL's type text cannot store.</summary>
    public override IReadOnlyList<byte[]> RefusedMessages => [Click(Guid.NewGuid(), "no slash"), Click(Guid.NewGuid(), "/\0")];

    public override void Configure(IMessageWorkerBuilder worker)
    {
        base.Configure(worker);
        worker.AddBatchHandler<Click, InsertClicks>("Clicks", SampleJson.Default.Click);
    }

    public override byte[] CreateMessage(int number) => Click(IdOf(number), Owner);

    private static byte[] Click(Guid id, string page) =>
        JsonSerializer.SerializeToUtf8Bytes(new Click(id, page, DateTimeOffset.UnixEpoch), SampleJson.Default.Click);
}
