using System.Text.Json;
using Messaging.Handlers;
using Messaging.Hosting;
using Messaging.Testing;
using Microsoft.Extensions.DependencyInjection;
using Npgsql;
using Samples.Postgres;

namespace Samples.Tests;

/// <summary>StoreOrder over a real table. Tests share the table, so each has customers of its own.</summary>
internal sealed class OrdersHarness(NpgsqlDataSource database) : HandlerHarness
{
    private readonly string _customer = Guid.NewGuid().ToString("n");
    private readonly Dictionary<int, Guid> _ids = [];

    public override string Handler => "Orders";

    public override IReadOnlyList<byte[]> RefusedMessages => [Order(Guid.NewGuid(), total: -1), Order(Guid.NewGuid(), total: 1e20m)];

    public override void Configure(IMessageWorkerBuilder worker)
    {
        worker.Services.AddSingleton(_ => NpgsqlDataSource.Create(Servers.Postgres));
        worker.AddHandler<OrderPlaced, StoreOrder>("Orders", SampleJson.Default.OrderPlaced);
    }

    public override byte[] CreateMessage(int number)
    {
        if (!_ids.TryGetValue(number, out Guid id))
        {
            _ids[number] = id = Guid.NewGuid();
        }

        return Order(id, number);
    }

    public override async Task<IReadOnlyList<string>> ReadEffectsAsync()
    {
        await using NpgsqlCommand select = database.CreateCommand("SELECT id::text FROM orders WHERE customer = $1");
        select.Parameters.Add(new NpgsqlParameter<string> { TypedValue = _customer });
        List<string> ids = [];
        await using NpgsqlDataReader reader = await select.ExecuteReaderAsync();
        while (await reader.ReadAsync())
        {
            ids.Add(reader.GetString(0));
        }

        return ids;
    }

    private byte[] Order(Guid id, decimal total) => JsonSerializer.SerializeToUtf8Bytes(new OrderPlaced(id, _customer, total), SampleJson.Default.OrderPlaced);
}
