using System.Runtime.CompilerServices;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Quayside.Messaging.Sources.Channels;

namespace Messaging.Tests.Handlers.Example;

/// <summary>The code on docs/guides/handlers.md compiles and does what the page says.</summary>
public sealed class HandlersPageTests
{
    [Fact]
    public void Page_ItsCode_IsTheExample()
    {
        string page = File.ReadAllText(Path.Combine(AppContext.BaseDirectory, "handlers.md"));
        foreach (string file in (string[])["OrdersWorker.cs", "OrdersWorkerTests.cs"])
        {
            string example = File.ReadAllText(Path.Combine(Folder(), file)).Split("// page: begin\n")[1].Split("// page: end")[0];

            page.ShouldContain(Unindented(example).TrimEnd());
        }
    }

    [Fact]
    public async Task OrdersWorker_TwoOrders_StoresOneAndDeadLettersTheOther()
    {
        using TemporaryFolder folder = new();
        using IHost host = OrdersWorker.Build(["--Routes:orders:Source=Channel", "--Routes:orders:Handler=Orders", $"--DeadLetters:Path={folder.Path}"]);
        await host.StartAsync(TestContext.Current.CancellationToken);
        IMessagePublisher publisher = host.Services.GetRequiredService<IMessagePublisher>();
        await publisher.PublishAsync("""{"orderId":"a","total":1}"""u8.ToArray(), cancellationToken: TestContext.Current.CancellationToken);
        await publisher.PublishAsync("""{"OrderId":"b","Total":-1}"""u8.ToArray(), cancellationToken: TestContext.Current.CancellationToken);

        // A stop drains: every accepted message is settled.
        await host.StopAsync(TestContext.Current.CancellationToken);

        host.Services.GetRequiredService<OrderBook>().Keys.ShouldBe(["a"]);
        Directory
            .EnumerateFiles(folder.Path, "*", SearchOption.AllDirectories)
            .ShouldContain(file => File.ReadAllText(file).Contains("negative-total", StringComparison.Ordinal));
    }

    private static string Unindented(string text)
    {
        int indent = text.Length - text.TrimStart(' ').Length;
        return string.Join('\n', text.Split('\n').Select(line => line.Length > indent ? line[indent..] : line.TrimStart(' ')));
    }

    private static string Folder([CallerFilePath] string file = "") => Path.GetDirectoryName(file)!;
}
