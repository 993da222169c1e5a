using Integration.Tests.Processes;
using Integration.Tests.Servers;

[assembly: AssemblyFixture(typeof(RabbitMqServer))]

namespace Integration.Tests.Servers;

/// <summary>
/// RabbitMQ for the whole run: the broker of <c>RABBITMQ_URL</c>, as <c>tests/servers/rabbitmq up</c> prints it. Test classes take it as a
/// constructor parameter, and use queues of their own.
/// </summary>
public sealed class RabbitMqServer
{
    private const string Variable = "RABBITMQ_URL";

    /// <summary>The address. Skips the calling test, or fails it under <c>REQUIRE_SERVERS=1</c>, when no broker is available.</summary>
    internal Uri Require()
    {
        if (Environment.GetEnvironmentVariable(Variable) is not { Length: > 0 } address)
        {
            RequiredServers.Missing($"No RabbitMQ: set {Variable}; `export $(tests/servers/rabbitmq up /tmp/rabbitmq)` starts one and sets it.");
            return null;
        }

        return new Uri(address);
    }
}

/// <summary>A broker of a test's own, to restart it, to change its users, and to run it short of memory.</summary>
internal sealed class OwnRabbitMq : IAsyncDisposable
{
    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(2);

    private readonly string _folder;

    private OwnRabbitMq(string folder, Uri address)
    {
        _folder = folder;
        Address = address;
    }

    public Uri Address { get; }

    /// <param name="settings">Further lines for rabbitmq.conf.</param>
    public static async Task<OwnRabbitMq> RequireAsync(string settings = "")
    {
        if (!File.Exists("/usr/lib/rabbitmq/bin/rabbitmq-server"))
        {
            RequiredServers.Missing("No rabbitmq-server: `apt-get install -y --no-install-recommends rabbitmq-server` installs one.");
        }

        string folder = Directory.CreateTempSubdirectory("rabbitmq-").FullName;
        string file = Path.Combine(folder, "further.conf");
        await File.WriteAllTextAsync(file, settings);
        string line = await RunAsync("up", Path.Combine(folder, "broker"), file);
        return new OwnRabbitMq(folder, new Uri(line[(line.IndexOf('=', StringComparison.Ordinal) + 1)..].Trim()));
    }

    /// <summary>Kills it and starts it again.</summary>
    public Task RestartAsync() => RunAsync("restart", Path.Combine(_folder, "broker"));

    /// <summary>Runs rabbitmqctl.</summary>
    public Task<string> ControlAsync(params string[] arguments) => RunAsync(["ctl", Path.Combine(_folder, "broker"), .. arguments]);

    /// <summary>Adds a user with the password "word".</summary>
    /// <param name="name">The user.</param>
    /// <param name="write">What it may write to, as a regular expression.</param>
    /// <param name="read">What it may read.</param>
    public Task AddUserAsync(string name, string write, string read) => ControlAsync(
        "eval",
        $"rabbit_auth_backend_internal:add_user(<<\"{name}\">>, <<\"word\">>, <<\"tests\">>), rabbit_auth_backend_internal:set_permissions(<<\"{name}\">>, "
            + $"<<\"/\">>, <<>>, <<\"{write}\">>, <<\"{read}\">>, <<\"tests\">>).");

    /// <summary>Sets or clears the alarm that the broker is short of memory: it accepts no messages then.</summary>
    public Task SetAlarmAsync(bool isSet) =>
        ControlAsync(
            "eval", isSet ? "rabbit_alarm:set_alarm({{resource_limit, memory, node()}, []})." : "rabbit_alarm:clear_alarm({resource_limit, memory, node()}).");

    public async ValueTask DisposeAsync()
    {
        await RunAsync("down", Path.Combine(_folder, "broker"));
        Directory.Delete(_folder, recursive: true);
    }

    private static async Task<string> RunAsync(params string[] arguments)
    {
        await using CapturedProcess process = CapturedProcess.Start(RepositoryFolder.Combine("tests", "servers", "rabbitmq"), arguments);
        int exitCode = await process.WaitForExitAsync(Limit);
        exitCode.ShouldBe(0, process.Output.Describe());
        return string.Join('\n', process.Output.Snapshot().Where(line => !line.IsError).Select(line => line.Text));
    }
}
