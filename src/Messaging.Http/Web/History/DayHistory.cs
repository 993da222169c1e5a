using Microsoft.Extensions.Logging;
using Quayside.Messaging.Telemetry;

namespace Quayside.Messaging.Http.Web.History;

/// <summary>
/// The figures of each minute of the last 24 hours, of the process and of every route: in memory, and with <c>Hosting:HistoryPath</c> in one file each, which
/// a restart reads. A file that cannot be used is logged once and tried again every minute; the figures stay in memory meanwhile. Threads: any; no caller
/// waits for the disk of another.
/// </summary>
internal sealed partial class DayHistory(WebOptions options, ILogger logger) : IDisposable
{
    /// <summary>What the name of a route's series begins with.</summary>
    public const string RoutePrefix = "route-";

    // In a set of figures: stored messages, and p99 of storing.
    private const int Done = 1;
    private const int StoreP99 = 13;

    private readonly string? _folder = string.IsNullOrEmpty(options.HistoryPath) ? null : options.HistoryPath;
    private readonly Lock _gate = new();
    private readonly Dictionary<string, Series> _series = new(StringComparer.Ordinal);
    private string? _problem;
    private int _saving;

    /// <summary>The folder of the files; null when there is none.</summary>
    public string? Folder => _folder;

    /// <summary>Why the files are not in use; null while they are.</summary>
    public string? Problem => Volatile.Read(ref _problem);

    /// <summary>Makes sure that a series is known, and reads its file when it is new.</summary>
    /// <param name="names">The name of each; it is also that of its file.</param>
    public void Track(IEnumerable<string> names)
    {
        bool isNew = false;
        lock (_gate)
        {
            foreach (string name in names)
            {
                isNew |= _series.TryAdd(name, new Series());
            }
        }

        if (isNew)
        {
            Save();
        }
    }

    /// <summary>Adds the figures of a minute to a series, in memory; <see cref="Save()"/> writes them.</summary>
    public void Add(string name, uint minute, ReadOnlySpan<float> values)
    {
        Series? series;
        bool hasChanged;
        lock (_gate)
        {
            if (!_series.TryGetValue(name, out series))
            {
                _series.Add(name, series = new Series());
            }

            hasChanged = series.Slow.Add(minute, values[Done], values[StoreP99]);
            series.Ring.Add(minute, values);
            series.Unsaved.Add(minute);
            if (series.Unsaved.Count > MinuteRing.Minutes)
            {
                series.Unsaved.RemoveAt(0);
            }
        }

        if (hasChanged && series.Slow.Since is not null)
        {
            LogSlow(name[RoutePrefix.Length..], SlowSink.Minutes, values[StoreP99], series.Slow.UsualP99);
        }
        else if (hasChanged)
        {
            LogNoLongerSlow(name[RoutePrefix.Length..]);
        }
    }

    /// <summary>Since when the sink of a route is slow.</summary>
    /// <param name="name">The series of the route.</param>
    /// <returns>The begin, and the usual p99 in seconds; null while it is not slow.</returns>
    public (DateTime Since, double UsualP99)? SlowSinkOf(string name)
    {
        lock (_gate)
        {
            return _series.TryGetValue(name, out Series? series) && series.Slow.Since is { } since ? (DateTime.UnixEpoch.AddMinutes(since), series.Slow.UsualP99) : null;
        }
    }

    /// <summary>Reads a series in steps.</summary>
    /// <param name="name">The series.</param>
    /// <param name="end">The minute after the last one.</param>
    /// <param name="steps">How many steps.</param>
    /// <param name="minutes">Minutes per step: counts add up, and of other values the highest counts.</param>
    /// <returns>The values of each step, the oldest first; null for a step without figures.</returns>
    public float[]?[] Read(string name, uint end, int steps, int minutes)
    {
        float[]?[] all = new float[]?[steps];
        lock (_gate)
        {
            if (!_series.TryGetValue(name, out Series? series))
            {
                return all;
            }

            for (int i = 0; i < steps * minutes; i++)
            {
                ReadOnlySpan<float> values = series.Ring.Of(end - (uint)((steps * minutes) - i));
                if (values.IsEmpty)
                {
                    continue;
                }

                if (all[i / minutes] is { } step)
                {
                    MinuteRing.Merge(step, values);
                }
                else
                {
                    all[i / minutes] = values.ToArray();
                }
            }
        }

        return all;
    }

    /// <summary>Opens the files that are not open, and writes what is not written. Does nothing while another thread does.</summary>
    public void Save()
    {
        if (_folder is null || Interlocked.Exchange(ref _saving, 1) == 1)
        {
            return;
        }

        try
        {
            (string Name, Series Series)[] all;
            lock (_gate)
            {
                all = [.. _series.Select(static pair => (pair.Key, pair.Value))];
            }

            foreach ((string name, Series series) in all)
            {
                Save(name, series);
            }

            if (_problem is not null)
            {
                LogUsable(_folder);
                Volatile.Write(ref _problem, null);
            }
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException)
        {
            if (_problem is null)
            {
                LogUnusable(_folder, UntrustedText.Shorten(exception.Message));
            }

            Volatile.Write(ref _problem, exception.Message);
        }
        finally
        {
            Volatile.Write(ref _saving, 0);
        }
    }

    public void Dispose()
    {
        // A thread that a disk holds up keeps its files.
        if (Interlocked.Exchange(ref _saving, 1) == 0)
        {
            foreach (Series series in _series.Values)
            {
                series.File?.Dispose();
            }
        }
    }

    private void Save(string name, Series series)
    {
        MinuteFile file = series.File ??= MinuteFile.Open(Path.GetFullPath($"{Uri.EscapeDataString(name)}.history", Path.GetFullPath(_folder!)));
        if (!series.IsLoaded)
        {
            byte[] records = file.Read();
            lock (_gate)
            {
                MinuteFile.Load(records, series.Ring);

                // What was slow before the restart still is.
                foreach (uint minute in series.Ring.All())
                {
                    ReadOnlySpan<float> figures = series.Ring.Of(minute);
                    series.Slow.Add(minute, figures[Done], figures[StoreP99]);
                }

                series.IsLoaded = true;
            }
        }

        uint[] minutes;
        lock (_gate)
        {
            minutes = [.. series.Unsaved];
        }

        Span<float> values = stackalloc float[MinuteRing.Width];
        foreach (uint minute in minutes)
        {
            bool isKept;
            lock (_gate)
            {
                isKept = series.Ring.Of(minute).TryCopyTo(values) && !series.Ring.Of(minute).IsEmpty;
            }

            if (isKept)
            {
                file.Write(minute, values);
            }

            lock (_gate)
            {
                series.Unsaved.Remove(minute);
            }
        }
    }

    [LoggerMessage(1230, LogLevel.Warning,
        "The history in {Folder} cannot be read or written ({Error}): the last 24 hours are in memory only, and a restart loses them. Messages are not affected. Let the worker write to the folder Hosting:HistoryPath, one folder per worker; it is tried again every minute")]
    private partial void LogUnusable(string folder, string error);

    [LoggerMessage(1231, LogLevel.Information, "The history is written to {Folder} again")]
    private partial void LogUsable(string folder);

    [LoggerMessage(1232, LogLevel.Warning,
        "Route {Route}: its sink has been slow for {Minutes} minutes: p99 of storing is {P99:0.000} s, and was {Usual:0.000} s in the hour before. Check the load of the sink and the network; more workers help only if the sink has room")]
    private partial void LogSlow(string route, int minutes, double p99, double usual);

    [LoggerMessage(1233, LogLevel.Information, "Route {Route}: its sink is no longer slow")]
    private partial void LogNoLongerSlow(string route);

    private sealed class Series
    {
        public MinuteRing Ring { get; } = new();

        public SlowSink Slow { get; } = new();

        /// <summary>Oldest first.</summary>
        public List<uint> Unsaved { get; } = [];

        public MinuteFile? File { get; set; }

        public bool IsLoaded { get; set; }
    }
}
