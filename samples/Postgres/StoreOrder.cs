using Npgsql;
using Quayside.Messaging.Handlers;
using Quayside.Pipeline.Settlements;

namespace Samples.Postgres;

/// <summary>Inserts an order. An order may be redelivered; because of the primary key, the second insert does nothing.</summary>
public sealed class StoreOrder(NpgsqlDataSource database) : IMessageHandler<OrderPlaced>
{
    public async ValueTask<Settlement> HandleAsync(OrderPlaced order, MessageInfo info, CancellationToken cancellationToken)
    {
        await using NpgsqlCommand insert = database.CreateCommand("INSERT INTO orders (id, customer, total) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING");
        insert.Parameters.Add(new NpgsqlParameter<Guid> { TypedValue = order.Id });
        insert.Parameters.Add(new NpgsqlParameter<string> { TypedValue = order.Customer });
        insert.Parameters.Add(new NpgsqlParameter<decimal> { TypedValue = order.Total });
        try
        {
            await insert.ExecuteNonQueryAsync(cancellationToken);
            return Settlement.Complete;
        }
        catch (NpgsqlException exception)
        {
            return DatabaseFaults.Decide(exception);
        }
    }
}
