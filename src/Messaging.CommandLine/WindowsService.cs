using System.ComponentModel;
using System.Diagnostics;
using System.Security;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Hosting.WindowsServices;
using Microsoft.Extensions.Logging;

namespace Quayside.Messaging.CommandLine;

/// <summary>
/// The program as a Windows service: relative paths are those of the program's folder, the service control manager stops and drains the worker, and errors go
/// to the event log. Does nothing in a program that no service control manager started.
/// </summary>
internal static class WindowsService
{
    /// <summary>The source of the entries in the event log, and the name of the service in the documentation.</summary>
    public const string Name = "Worker";

    // An entry may have 31,839 characters.
    private const int MaxEntry = 31_000;

    // The alias of EventLogLoggerProvider, a type of Windows alone.
    private const string EventLogs = "EventLog";

    /// <summary>Adds the lifetime of a service and the event log. After the worker: the last lifetime is used.</summary>
    public static void AddTo(HostApplicationBuilder builder) => builder.Services.AddWindowsService(static service => service.ServiceName = Name);

    /// <summary>
    /// Lets only errors into the event log, which administrators read. Before the configuration, whose <c>Logging:EventLog</c> overrides this.
    /// </summary>
    public static void LimitEventLog(ILoggingBuilder logging) => logging.Services.Configure<LoggerFilterOptions>(static filters =>
    {
        filters.Rules.Add(new LoggerFilterRule(EventLogs, categoryName: null, LogLevel.Error, filter: null));

        // The command line reports these, without a stack trace.
        filters.Rules.Add(new LoggerFilterRule(EventLogs, "Microsoft.Extensions.Hosting.Internal.Host", LogLevel.None, filter: null));
    });

    /// <summary>
    /// Runs the program. As a service it has no console: what the program writes to standard error becomes an entry of the event log when it ends.
    /// </summary>
    public static Task<int> RunAsync(Func<Task<int>> run) => OperatingSystem.IsWindows() && WindowsServiceHelpers.IsWindowsService()
        ? RunAsync(run, Directory.SetCurrentDirectory, Console.SetError, Report)
        : run();

    /// <inheritdoc cref="RunAsync(Func{Task{int}})"/>
    /// <param name="run">The program.</param>
    /// <param name="enter">Makes a folder the current one; a service starts in the folder of the system.</param>
    /// <param name="setError">Replaces standard error.</param>
    /// <param name="report">Takes what was written to it, when it is not empty.</param>
    internal static async Task<int> RunAsync(Func<Task<int>> run, Action<string> enter, Action<TextWriter> setError, Action<string> report)
    {
        enter(AppContext.BaseDirectory);
        using StringWriter errors = new();
        setError(TextWriter.Synchronized(errors));
        int code = await run();
        string text = errors.ToString().Trim();
        if (text.Length > 0)
        {
            report(text.Length > MaxEntry ? text[..MaxEntry] : text);
        }

        return code;
    }

    private static void Report(string text)
    {
        if (!OperatingSystem.IsWindows())
        {
            return;
        }

        try
        {
            EventLog.WriteEntry(Name, text, EventLogEntryType.Error);
        }
        catch (Exception exception) when (exception is SecurityException or InvalidOperationException or Win32Exception)
        {
            // The source is not registered, and the account may not do so. The exit code remains.
        }
    }
}
