using System.Diagnostics;
using System.Text.Json;
using Npgsql;
using RabbitMQ.Client;
using Samples.Postgres;
using Xunit;

namespace Samples.Tests;

/// <summary>10,000 orders from RabbitMQ to PostgreSQL by a worker that is killed 20 times: each order is stored exactly once.</summary>
public sealed class KillTests
{
    private const int Orders = 10_000;
    private const int Kills = 20;

    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(4);

    [Fact]
    public async Task Orders_WorkerKilledTwentyTimes_EachIsInTheTableOnce()
    {
        NpgsqlDataSource database = await Servers.OpenPostgresAsync();
        string customer = Guid.NewGuid().ToString("n");
        string queue = $"kills-{customer}";
        await using IConnection connection = await Servers.ConnectAsync();
        await using IChannel channel =
            await connection.CreateChannelAsync(new CreateChannelOptions(publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true));
        await channel.QueueDeclareAsync(
            queue, durable: true, exclusive: false, autoDelete: false,
            new Dictionary<string, object?> { ["x-queue-type"] = "quorum", ["x-delivery-limit"] = 1_000 });
        await PublishAsync(channel, queue, customer);

        Random random = new(4711);
        long stored = 0;
        for (int kill = 1; kill <= Kills; kill++)
        {
            // Kill the worker at a random point, but only after it has stored at least one more order.
            using Process worker = Start(queue);
            stored = await UntilAsync(worker, database, customer, Math.Min(stored + random.Next(1, Orders / (Kills + 2)), Orders));
            worker.Kill();
            await worker.WaitForExitAsync(TestContext.Current.CancellationToken);
        }

        Assert.InRange(stored, Kills, Orders - 1);
        using (Process last = Start(queue))
        {
            Assert.Equal(Orders, await UntilAsync(last, database, customer, Orders));
            await UntilEmptyAsync(channel, queue);
            Process.Start("kill", ["-TERM", $"{last.Id}"]).WaitForExit();
            await last.WaitForExitAsync(TestContext.Current.CancellationToken);
            Assert.Equal(0, last.ExitCode);
        }

        Assert.Equal(0u, await channel.MessageCountAsync(queue));
        Assert.Equal(0u, await channel.MessageCountAsync($"{queue}.dead-letters"));
        Assert.Equal((Orders, Orders * (Orders - 1L) / 2), await CountAsync(database, customer));
        await channel.QueueDeleteAsync(queue);
        foreach (string suffix in (string[])[".dead-letters", ".clicks", ".clicks.dead-letters"])
        {
            await channel.QueueDeleteAsync(queue + suffix);
        }
    }

    private static async Task PublishAsync(IChannel channel, string queue, string customer)
    {
        foreach (int[] numbers in Enumerable.Range(0, Orders).Chunk(200))
        {
            await Task.WhenAll(numbers.Select(number =>
            {
                OrderPlaced order = new(Guid.NewGuid(), customer, number);
                byte[] body = JsonSerializer.SerializeToUtf8Bytes(order, SampleJson.Default.OrderPlaced);
                return channel
                    .BasicPublishAsync(string.Empty, queue, mandatory: true, new BasicProperties { MessageId = order.Id.ToString(), Persistent = true }, body)
                    .AsTask();
            }));
        }
    }

    private static Process Start(string queue) => Process.Start(new ProcessStartInfo("dotnet", [
        Path.Combine(AppContext.BaseDirectory, "Postgres.dll"),
        $"--Routes:orders:Sources:RabbitMq:Queue={queue}",
        $"--Routes:clicks:Sources:RabbitMq:Queue={queue}.clicks",
        $"--Sources:RabbitMq:Uri={Servers.RabbitMq}",
        $"--Postgres:ConnectionString={Servers.Postgres}"])
    { WorkingDirectory = AppContext.BaseDirectory })!;

    private static async Task<long> UntilAsync(Process worker, NpgsqlDataSource database, string customer, long rows)
    {
        long started = Stopwatch.GetTimestamp();
        while (true)
        {
            (long stored, _) = await CountAsync(database, customer);
            if (stored >= rows)
            {
                return stored;
            }

            Assert.False(worker.HasExited, "The worker exited by itself.");
            Assert.True(Stopwatch.GetElapsedTime(started) < Limit, $"{stored} orders are stored; {rows} should be.");
            await Task.Delay(5, TestContext.Current.CancellationToken);
        }
    }

    private static async Task UntilEmptyAsync(IChannel channel, string queue)
    {
        long started = Stopwatch.GetTimestamp();
        while (await channel.MessageCountAsync(queue) > 0)
        {
            Assert.True(Stopwatch.GetElapsedTime(started) < Limit, "The queue is not empty.");
            await Task.Delay(20, TestContext.Current.CancellationToken);
        }
    }

    /// <summary>
    /// The number of a customer's rows and the sum of their totals. Each order has a different total, so both match only if every order is stored once.
    /// </summary>
    private static async Task<(long Rows, long Sum)> CountAsync(NpgsqlDataSource database, string customer)
    {
        await using NpgsqlCommand count = database.CreateCommand("SELECT count(*), coalesce(sum(total), 0)::bigint FROM orders WHERE customer = $1");
        count.Parameters.Add(new NpgsqlParameter<string> { TypedValue = customer });
        await using NpgsqlDataReader reader = await count.ExecuteReaderAsync();
        await reader.ReadAsync();
        return (reader.GetInt64(0), reader.GetInt64(1));
    }
}
