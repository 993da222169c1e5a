using System.CommandLine;
using System.Net;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// <c>health</c>: prints a health page of a running worker, and shows by its exit code what it says; for the health check of a container without a shell.
/// </summary>
internal static class HealthCommand
{
    public static Command Create(CommandContext context)
    {
        Option<bool> ready = new("--ready")
        { Description = "Ask whether every route receives and stores (/healthz/ready), not only whether a restart is needed (/healthz/live)" };
        return WorkerConnection.Asking(
            new Command("health", "Print the health of a running worker; exit 1 when it is unhealthy, 69 when it does not answer.") { ready },
            context,
            (worker, parsed, end) => PrintAsync(worker, parsed.GetValue(ready) ? "/healthz/ready" : "/healthz/live", end));
    }

    private static async Task<int> PrintAsync(WorkerConnection worker, string page, CancellationToken cancellationToken)
    {
        (HttpStatusCode status, string text) = await worker.ReadAsync(page, cancellationToken);
        if (status is not (HttpStatusCode.OK or HttpStatusCode.ServiceUnavailable))
        {
            throw new StartupException(
                $"{worker.Address} answered {page} with {(int)status}: is a worker running there? Its answer: {UntrustedText.Shorten(text)}",
                ExitCodes.Unavailable);
        }

        Console.Out.WriteLine(text);
        return status == HttpStatusCode.OK ? ExitCodes.Success : ExitCodes.Incomplete;
    }
}
