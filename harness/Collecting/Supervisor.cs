using System.Diagnostics;
using System.IO.Pipes;
using System.Runtime.InteropServices;
using System.Text.Json;
using Microsoft.Diagnostics.NETCore.Client;
using Quayside.Messaging.Configuration;

namespace Harness.Collecting;

/// <summary>
/// Runs the harness again as a child, which is measured, and collects its events in this process. Collecting allocates, and the runtime
/// reports allocations only if requested before it starts. The console, the exit code and the signals are those of the child.
/// </summary>
internal static class Supervisor
{
    private static readonly TimeSpan ConnectLimit = TimeSpan.FromSeconds(30);

    public static async Task<int> RunAsync(IReadOnlyList<string> arguments, EventCollection collection)
    {
        DirectoryInfo folder = Directory.CreateTempSubdirectory("worker-harness-port-");
        try
        {
            string port = OperatingSystem.IsWindows() ? $"worker-harness-{Environment.ProcessId}" : Path.Combine(folder.FullName, "port");
            return await RunAsync(arguments, collection, port);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static async Task<int> RunAsync(IReadOnlyList<string> arguments, EventCollection collection, string port)
    {
        await using AnonymousPipeServerStream requests = new(PipeDirection.In, HandleInheritability.Inheritable);
        await using AnonymousPipeServerStream replies = new(PipeDirection.Out, HandleInheritability.Inheritable);
        using CancellationTokenSource limit = new();

        // Listen before starting the child, which connects before it runs any code.
        Task<DiagnosticsClientConnector?> connecting = DiagnosticsClientConnector.FromDiagnosticPort($"{port},listen", limit.Token)!;
        if (connecting.IsFaulted)
        {
            throw new StartupException($"The diagnostics port {port} cannot be opened: {connecting.Exception.InnerException!.Message}", ExitCodes.Software);
        }

        using Process child = Process.Start(MeasuredProcess.Create(arguments, port, requests.GetClientHandleAsString(), replies.GetClientHandleAsString()))!;
        requests.DisposeLocalCopyOfClientHandle();
        replies.DisposeLocalCopyOfClientHandle();
        using PosixSignalRegistration interrupt = PosixSignalRegistration.Create(PosixSignal.SIGINT, context => MeasuredProcess.Forward(child, context));
        using PosixSignalRegistration terminate = PosixSignalRegistration.Create(PosixSignal.SIGTERM, context => MeasuredProcess.Forward(child, context));
        try
        {
            limit.CancelAfter(ConnectLimit);
            Task exited = child.WaitForExitAsync(CancellationToken.None);
            await Task.WhenAny(connecting, exited);
            if (connecting.IsCompletedSuccessfully && await connecting is { } connector)
            {
                await using (connector)
                {
                    await ResumeAsync(connector.Instance, collection);
                    await ServeAsync(connector.Instance, collection, requests, replies);
                    await exited;
                }
            }
            else if (!exited.IsCompleted)
            {
                throw new StartupException(
                    $"The runtime did not open its diagnostics port within {ConnectLimit.TotalSeconds} s; "
                        + "check that DOTNET_EnableDiagnostics does not disable it.", ExitCodes.Software);
            }

            return child.ExitCode;
        }
        catch (Exception exception) when (exception is TimeoutException or DiagnosticsClientException or IOException)
        {
            throw new StartupException($"Collecting failed: {exception.Message}", ExitCodes.Software, exception);
        }
        finally
        {
            await limit.CancelAsync();
            if (!child.HasExited)
            {
                child.Kill();
            }
        }
    }

    private static async Task ResumeAsync(DiagnosticsClient client, EventCollection collection)
    {
        await collection.OnSuspendedAsync(client, CancellationToken.None);
        await Task.Run(client.ResumeRuntime).WaitAsync(ConnectLimit);
    }

    /// <summary>Answers requests until the child closes its end of the pipe, at the latest when it exits.</summary>
    private static async Task ServeAsync(DiagnosticsClient client, EventCollection collection, Stream requests, Stream replies)
    {
        using StreamReader reader = new(requests, leaveOpen: true);
        await using StreamWriter writer = new(replies, leaveOpen: true) { AutoFlush = true };
        while (await reader.ReadLineAsync() is { } request)
        {
            string reply = await AnswerAsync(client, collection, request);
            try
            {
                await writer.WriteLineAsync(reply);
            }
            catch (IOException)
            {
                // The child has ended, for instance by a signal; its exit code gives the reason.
                return;
            }
        }
    }

    private static async Task<string> AnswerAsync(DiagnosticsClient client, EventCollection collection, string request)
    {
        try
        {
            switch (request)
            {
                case CollectorConnection.Running:
                    await collection.OnRunningAsync(CancellationToken.None);
                    return CollectorConnection.Done;
                case CollectorConnection.Begin:
                    await collection.OnBeginAsync(client, CancellationToken.None);
                    return CollectorConnection.Done;
                case CollectorConnection.End:
                    return JsonSerializer.Serialize(await collection.OnEndAsync(CancellationToken.None), CollectorJson.Default.CollectedAllocations);
                default:
                    return $"{CollectorConnection.Failed}unknown request '{request}'";
            }
        }
        catch (Exception exception)
        {
            // The child reports any exception as the failure of the run; here it would only be a stack trace.
            return $"{CollectorConnection.Failed}{exception.Message.ReplaceLineEndings(" ")}";
        }
    }
}
