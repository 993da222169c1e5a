using System.Text.Json;
using Npgsql;
using Quayside.Messaging.Handlers;
using Quayside.Messaging.Hosting;
using Samples.Postgres;

namespace Samples.Tests;

/// <summary>StoreOrder with a real table.</summary>
internal sealed class OrdersHarness(NpgsqlDataSource database)
    : TableHarness(database, "SELECT id::text FROM orders WHERE customer = $1", Guid.NewGuid().ToString("n"))
{
    public override string Handler => "Orders";

    public override IReadOnlyList<byte[]> RefusedMessages => [Order(Guid.NewGuid(), total: -1), Order(Guid.NewGuid(), total: 1e20m)];

    public override void Configure(IMessageWorkerBuilder worker)
    {
        base.Configure(worker);
        worker.AddHandler<OrderPlaced, StoreOrder>("Orders", SampleJson.Default.OrderPlaced);
    }

    public override byte[] CreateMessage(int number) => Order(IdOf(number), number);

    private byte[] Order(Guid id, decimal total) => JsonSerializer.SerializeToUtf8Bytes(new OrderPlaced(id, Owner, total), SampleJson.Default.OrderPlaced);
}
