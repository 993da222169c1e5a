using Integration.Tests.Processes;
using Integration.Tests.Telemetry;
using Integration.Tests.Worker;

namespace Integration.Tests.CommandLine;

/// <summary>A third-party worker (tests/apps/orders) gets every feature of the daemon from one call.</summary>
public sealed class StrangersWorkerTests
{
    private const int Usage = 64;
    private const int Software = 70;
    private const int Wrong = 78;

    private static readonly string[] Route = ["--Routes:orders:Source=Channel", "--Routes:orders:Handler=Orders"];

    [Fact]
    public async Task Validate_RightConfiguration_ShowsItWithSecretsMasked()
    {
        WorkerCommand valid = await RunAsync(["validate", .. Route, "--Handlers:Orders:ApiKey=hunter2", "--Tenants:Lifetime=9m"]);

        valid.ExitCode.ShouldBe(0, valid.Text);
        valid.Text.ShouldMatch("Handlers:Orders:ApiKey +=\\s\\*\\*\\*\n");
        valid.Text.ShouldMatch("Handlers:Orders:MaxQuantity += 10  \\(default\\)\n");
        valid.Text.ShouldMatch("Tenants:Lifetime += 9m\n");
        valid.Text.ShouldNotContain("hunter2");
    }

    [Theory]
    [InlineData("validate")]
    [InlineData("explain")]
    [InlineData("routes")]
    [InlineData("")]
    public async Task WrongConfiguration_ListsEveryProblem_Exits78(string command)
    {
        WorkerCommand wrong = (await RunAsync(
            [.. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), .. Route, "--Handlers:Orders:MaxQuantty=5", "--Handlers:Orders:ApiKey=hunter2",
                "--Routes:orders:Handlers:Orders:MaxQuantity=0", "--Tenants:Lifetime=soon", "--Sinks:S3:Bucket=b"]))
            .ShouldHaveNoStackTrace();

        wrong.ExitCode.ShouldBe(Wrong, wrong.Text);
        string[] problems = [.. wrong.Error.Split('\n').Where(line => line.StartsWith("  - ", StringComparison.Ordinal))];
        problems.Length.ShouldBe(4, wrong.Error);
        problems.ShouldContain(line => line.Contains("Handlers:Orders:MaxQuantty: is not a known key. Did you mean MaxQuantity?"), wrong.Error);
        problems.ShouldContain(line => line.Contains("Routes:orders:Handlers:Orders:MaxQuantity = \"0\": must be from 1 to 100."), wrong.Error);
        problems.ShouldContain(line => line.Contains("Tenants:Lifetime = \"soon\""), wrong.Error);
        problems.ShouldContain(line => line.Contains("Sinks:S3"), wrong.Error);
        wrong.Text.ShouldNotContain("hunter2");
    }

    [Theory]
    [InlineData("validate")]
    [InlineData("")]
    public async Task MistakesInTheCode_AreProblemsOfTheConfigurationToo(string command)
    {
        WorkerCommand wrong = (await RunAsync(
            ["mistakes", .. command.Split(' ', StringSplitOptions.RemoveEmptyEntries), "--Routes:a:Source=Sqs", "--Routes:a:Handler=Orders",
                "--Routes:b:Source=Channel", "--Routes:b:Handler=Untyped", "--Pipeline:Parts=Tenant,RetryBehavior"]))
            .ShouldHaveNoStackTrace();

        wrong.ExitCode.ShouldBe(Wrong, wrong.Text);
        string[][] expected =
        [
            ["Handlers:orders: is added twice (OrdersApp.BookOrder)", "give one another name"],
            ["Pipeline:Parts: the part tenant is added twice (OrdersApp.Mistakes+TenantStep)", "give one another name"],
            ["Hosting:DrainTimeout: is read by two classes", "give one of them a section or a key of its own"],
            ["Routes:a:Source = \"Sqs\": there is no such source", "call that package's Add method first"],
            ["Handlers:Untyped: must be added with a JsonTypeInfo<Order>", "[JsonSerializable(typeof(Order))]"],
            ["Pipeline:Parts = \"RetryBehavior\": is not a part added by", "each in its stage"],
        ];
        string[] problems = [.. wrong.Error.Split('\n').Where(line => line.StartsWith("  - ", StringComparison.Ordinal))];
        foreach (string[] words in expected)
        {
            problems
                .Count(line => words.All(word => line.Contains(word, StringComparison.Ordinal)))
                .ShouldBe(1, $"{string.Join(" | ", words)} in\n{wrong.Error}");
        }

        problems.Length.ShouldBe(expected.Length, wrong.Error);
    }

    [Fact]
    public async Task ExceptionInAddFeatures_IsReportedAsTheProgramsOwn()
    {
        WorkerCommand broken = await RunAsync("broken");
        WorkerCommand nameless = await RunAsync("nameless");

        broken.ExitCode.ShouldBe(Software, broken.Text);
        broken.Error.ShouldContain("the program could not add its features: System.InvalidOperationException: no shop to open");
        nameless.ExitCode.ShouldBe(Wrong, nameless.Text);
        nameless.Error.ShouldContain("the name of OrdersApp.BookOrder must be 1 to 64 letters");
    }

    [Fact]
    public async Task Explain_ItsRoute_HasItsFacts()
    {
        WorkerCommand explained = await RunAsync(["explain", .. Route]);

        explained.ExitCode.ShouldBe(0, explained.Text);
        explained.Text.ShouldStartWith("Route orders: Channel -> Orders");
        explained.Text.ShouldContain("a kill        LOSES up to");
    }

    [Fact]
    public async Task ItsCommand_ReadsTheConfiguration()
    {
        WorkerCommand routes = await RunAsync(["routes", .. Route, "--Routes:more:Source=Channel", "--Routes:more:Handler=Orders"]);

        routes.ExitCode.ShouldBe(0, routes.Text);
        routes.Text.ShouldBe("more, orders");
    }

    [Fact]
    public async Task Publish_ToItsSource_SendsTheFile()
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("outbox-");
        try
        {
            string body = Path.Combine(folder.FullName, "order.json");
            string outbox = Path.Combine(folder.FullName, "outbox");
            await File.WriteAllTextAsync(body, """{"Id":"a","Quantity":1}""");

            WorkerCommand sent = await RunAsync("publish", "--to", "outbox", "-n", "3", "--file", body, $"--Sources:Outbox:Path={outbox}");
            WorkerCommand nothing = await RunAsync("publish", "--to", "outbox", $"--Sources:Outbox:Path={outbox}");
            WorkerCommand nowhere = await RunAsync("publish", "--to", "outbox", "--file", body);

            sent.ExitCode.ShouldBe(0, sent.Text);
            sent.Text.ShouldContain($"3 message(s) appended to {outbox}");
            (await File.ReadAllLinesAsync(outbox)).ShouldBe(Enumerable.Repeat("""{"Id":"a","Quantity":1}""", 3));
            nothing.ExitCode.ShouldBe(Usage, "It makes no messages of its own: the file is required.");
            nowhere.ExitCode.ShouldBe(Wrong, nowhere.Text);
            nowhere.Error.ShouldContain("Sources:Outbox:Path: must be set");
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Theory]
    [InlineData(ProcessSignal.Terminate)]
    [InlineData(ProcessSignal.Interrupt)]
    internal async Task Run_UntilASignal_SettlesWhatItTookAndExits0(ProcessSignal signal)
    {
        await using WorkerProcess worker = Start([.. Route, "--Publisher:Orders=20", "--Handlers:Orders:MaxQuantity=9"]);
        await worker.WaitForLineAsync("^20 orders published");

        await worker.SignalAsync(signal);
        int exitCode = await worker.WaitForExitAsync();

        exitCode.ShouldBe(0);
        worker.Output
            .Snapshot()
            .ShouldContain(
                line => line.Text.Contains("Route orders: stopped; since the start 20 received, 10 completed, 10 dead-lettered, 0 abandoned, 0 lost"));
        Directory.EnumerateFiles(Path.Combine(worker.WorkingDirectory, "dead-letters"), "*", SearchOption.AllDirectories)
            .Count(file => File.ReadAllText(file).Contains("tenants are remembered for 00:05:00", StringComparison.Ordinal)).ShouldBe(10);
    }

    [Fact]
    public async Task Run_OrdersWithinTheLimit_AreAllCompleted()
    {
        await using WorkerProcess worker = Start([.. Route, "--Publisher:Orders=20", "--Handlers:Orders:MaxQuantity=20"]);
        await worker.WaitForLineAsync("^20 orders published");

        await worker.SignalAsync(ProcessSignal.Terminate);

        (await worker.WaitForExitAsync()).ShouldBe(0);
        worker.Output.Snapshot().ShouldContain(line => line.Text.Contains("20 received, 20 completed"));
    }

    [Fact]
    public async Task Embedded_SameFeatures_RunInAHostOfItsOwn()
    {
        WorkerCommand embedded = await RunAsync(["embedded", .. Route, "--Handlers:Orders:MaxQuantity=1"]);

        embedded.ExitCode.ShouldBe(0, embedded.Text);
        embedded.Text.ShouldContain("Route orders: stopped; since the start 3 received, 2 completed, 1 dead-lettered");
    }

    [Fact]
    public async Task AddMeter_ItsInstruments_AreExportedOverOtlp()
    {
        await using OtlpReceiver collector = await OtlpReceiver.StartAsync();
        await using WorkerProcess worker = Start([.. Route, "--Publisher:Orders=20"], collector.Environment);

        await Eventually.BecomesTrueAsync(() => collector.Metrics.Contains("orders.booked"), "the metric of the program");

        collector.Metrics.ShouldContain("messaging.client.consumed.messages");
    }

    [Fact]
    public async Task HandlerThatWritesToASink_StoresEachMessage()
    {
        string folder = Directory.CreateTempSubdirectory("orders-").FullName;

        WorkerCommand embedded =
            await RunAsync(["embedded", "--Routes:orders:Source=Channel", "--Routes:orders:Handler=Copy", $"--Sinks:Directory:Path={folder}"]);

        embedded.ExitCode.ShouldBe(0, embedded.Text);
        string[] stored = [.. Directory.EnumerateFiles(folder).Select(File.ReadAllText)];
        stored.Length.ShouldBe(3);
        stored.ShouldAllBe(order => order.StartsWith("{\"Id\":", StringComparison.Ordinal));
        Directory.Delete(folder, recursive: true);
    }

    private static async Task<WorkerCommand> RunAsync(params string[] arguments)
    {
        await using WorkerProcess process = Start(arguments);
        return await WorkerCommand.CaptureAsync(process);
    }

    private static WorkerProcess Start(string[] arguments, IReadOnlyDictionary<string, string>? environment = null) =>
        WorkerProcess.Start(arguments, environment, assembly: LocateAssembly());

    // In its own output folder: the tests' folder contains the daemon's appsettings.json.
    private static string LocateAssembly()
    {
        string configuration = new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;
        return RepositoryFolder.Combine("tests", "apps", "orders", "bin", configuration, "net10.0", "OrdersApp.dll");
    }
}
