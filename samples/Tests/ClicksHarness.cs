using System.Text.Json;
using Messaging.Handlers;
using Messaging.Hosting;
using Messaging.Testing;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Samples.Postgres;

namespace Samples.Tests;

/// <summary>InsertClicks over a real table. Tests share the table, so each has pages of its own.</summary>
internal sealed class ClicksHarness(NpgsqlDataSource database) : HandlerHarness
{
    private readonly string _page = $"/{Guid.NewGuid():n}";
    private readonly Dictionary<int, Guid> _ids = [];

    public override string Handler => "Clicks";

    public override IEnumerable<KeyValuePair<string, string?>> Configuration => [new("Handlers:Clicks:MaxMessages", "20"), new("Handlers:Clicks:MaxAge", "50ms")];

    /// <summary>A page that breaks the table's rule, and one that no text of PostgreSQL can hold.</summary>
    public override IReadOnlyList<byte[]> RefusedMessages => [Click(Guid.NewGuid(), "no slash"), Click(Guid.NewGuid(), "/\0")];

    public override void Configure(IMessageWorkerBuilder worker)
    {
        worker.Services.AddSingleton(_ => NpgsqlDataSource.Create(Servers.Postgres));
        worker.AddBatchHandler<Click, InsertClicks>("Clicks", SampleJson.Default.Click);
    }

    public override byte[] CreateMessage(int number)
    {
        if (!_ids.TryGetValue(number, out Guid id))
        {
            _ids[number] = id = Guid.NewGuid();
        }

        return Click(id, _page);
    }

    public override async Task<IReadOnlyList<string>> ReadEffectsAsync()
    {
        await using NpgsqlCommand select = database.CreateCommand("SELECT id::text FROM clicks WHERE page = $1");
        select.Parameters.Add(new NpgsqlParameter<string> { TypedValue = _page });
        List<string> ids = [];
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            ids.Add(reader.GetString(0));
        }

        return ids;
    }

    private static byte[] Click(Guid id, string page) => JsonSerializer.SerializeToUtf8Bytes(new Click(id, page, DateTimeOffset.UnixEpoch), SampleJson.Default.Click);
}
